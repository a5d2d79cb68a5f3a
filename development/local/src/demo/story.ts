import { setTimeout as sleep } from "node:timers/promises"
import { styleText } from "node:util"

const out = (format: Parameters<typeof styleText>[0], text: string) =>
  styleText(format, text, { stream: process.stdout })

export function createStory() {
  const startedAt = performance.now()
  const time = () => `${((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)} s`
  let steps = 0
  return {
    step(title: string): void {
      steps += 1
      process.stdout.write(`\n${out("bold", `${steps}. ${title}`)}\n`)
    },
    result(line: string): void {
      process.stdout.write(`${out("dim", time())}  ${line}\n`)
    },
    check(passed: boolean, what: string): void {
      if (!passed) throw new Error(`this check failed: ${what}`)
      process.stdout.write(`${out("dim", time())}  ${out("green", "✓")} ${what}\n`)
    },
    async until<T>(what: string, deadlineMs: number, poll: () => Promise<T | undefined>): Promise<T> {
      const began = performance.now()
      for (let printedAt = began; ; ) {
        const found = await poll()
        if (found !== undefined) return found
        const now = performance.now()
        if (now - began > deadlineMs) throw new Error(`waited ${deadlineMs / 1000} s for ${what}`)
        if (now - printedAt >= 10_000) {
          process.stdout.write(`${out("dim", `${time()}  … waiting for ${what}`)}\n`)
          printedAt = now
        }
        await sleep(100)
      }
    },
    seconds: () => (performance.now() - startedAt) / 1000,
  }
}

export type Story = ReturnType<typeof createStory>
