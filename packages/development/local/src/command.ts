import { styleText } from "node:util"
import { ConfigurationError } from "@sitewire/runtime"

const startedAt = performance.now()

export function progress(line: string): void {
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1).padStart(5)
  process.stderr.write(`${styleText("dim", `${seconds} s`, { stream: process.stderr })}  ${line}\n`)
}

export function printFailure(what: string, error: unknown): void {
  const lines = error instanceof ConfigurationError ? [error.message] : [`\n${what}:`, ...causes(error)]
  process.stderr.write(`${lines.join("\n")}\n`)
}

function causes(error: unknown): string[] {
  if (error === undefined || error === null) return []
  return error instanceof Error ? [`  ${error.message}`, ...causes(error.cause)] : [`  ${error}`]
}
