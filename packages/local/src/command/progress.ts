import { styleText } from "node:util"

const startedAt = performance.now()

/** A line on standard error with the time since the start. */
export function progress(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)
  process.stderr.write(`${styleText("dim", `${seconds} s`, { stream: process.stderr })}  ${line}\n`)
}
