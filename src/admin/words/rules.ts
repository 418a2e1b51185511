import type { Words } from './en.ts'
import { rules as english, type Rules } from './rules/en.ts'

/** Stands for a parameter. No sentence of ours has one. */
const PARAMETER = '\0'

type Rule = string | ((...parameters: string[]) => string)

const PATTERNS = Object.entries(english).map(([key, rule]) => {
  const sentence = spoken(rule, Array(rule.length).fill(PARAMETER))
  const parts = sentence.split(PARAMETER).map((part) => part.replace(/[^\w\s]/g, '\\$&'))
  return [key as keyof Rules, new RegExp(`^${parts.join('(.+)')}$`)] as const
})

/** What the API says of a draft, in the reader's language. A sentence that has no translation stays as it is. */
export function translated(sentence: string, words: Words): string {
  for (const [key, pattern] of PATTERNS) {
    const found = pattern.exec(sentence)
    if (found) return spoken(words.rules[key], found.slice(1))
  }
  return sentence
}

function spoken(rule: Rule, parameters: string[]): string {
  return typeof rule === 'string' ? rule : rule(...parameters)
}
