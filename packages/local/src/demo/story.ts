import { setTimeout as sleep } from "node:timers/promises"
import { styleText } from "node:util"

const out = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { stream: process.stdout })

/** Prints what happens as it is seen, with the time since the story began. */
export function createStory() {
  const startedAt = performance.now()
  const time = () => `${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s`
  let steps = 0
  return {
    step(title: string): void {
      steps += 1
      process.stdout.write(`\n${out("bold", `${steps}. ${title}`)}\n`)
    },
    saw(line: string): void {
      process.stdout.write(`${out("dim", time())}  ${line}\n`)
    },
    /** Something that must hold; the story ends where it does not. */
    check(holds: boolean, what: string): void {
      if (!holds) throw new Error(`this did not hold: ${what}`)
      process.stdout.write(`${out("dim", time())}  ${out("green", "✓")} ${what}\n`)
    },
    /** Asks `look` until it returns something, and says every ten seconds that it still waits. */
    async until<T>(what: string, deadlineMs: number, look: () => Promise<T | undefined>): Promise<T> {
      const began = performance.now()
      for (let toldAt = began; ; ) {
        const seen = await look()
        if (seen !== undefined) return seen
        const now = performance.now()
        if (now - began > deadlineMs) throw new Error(`waited ${deadlineMs / 1000} s in vain for ${what}`)
        if (now - toldAt >= 10_000) {
          process.stdout.write(`${out("dim", `${time()}  … waiting for ${what}`)}\n`)
          toldAt = now
        }
        await sleep(100)
      }
    },
    seconds: () => (performance.now() - startedAt) / 1000,
  }
}

export type Story = ReturnType<typeof createStory>
