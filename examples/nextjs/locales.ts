import { notFound } from 'next/navigation'
import de from './locales/de.json'
import en from './locales/en.json'

const locales = { en, de }

export const tags = Object.keys(locales) as (keyof typeof locales)[]
export const names = { en: 'English', de: 'Deutsch' }

export function localeFor(tag: string): typeof en {
  return (locales as Record<string, typeof en | undefined>)[tag] ?? notFound()
}
