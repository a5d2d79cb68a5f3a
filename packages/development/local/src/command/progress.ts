import { styleText } from "node:util"

const startedAt = performance.now()

export function progress(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)
  process.stderr.write(`${styleText("dim", `${seconds} s`, { stream: process.stderr })}  ${line}\n`)
}
