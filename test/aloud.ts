import type { TestContext } from 'vitest'

/** Skips a test if the machine lacks what it needs, and says so where everybody sees it. */
export function skipAloud({ skip, task }: TestContext, lacking: boolean, need: string): void {
  if (lacking) process.stderr.write(`\nskipped, as it needs ${need}: ${task.name}\n`)
  skip(lacking, `needs ${need}`)
}
