import { styleText } from "node:util"
import { ConfigurationError } from "@sitewire/runtime"

const beganAt = Number(process.env.SITEWIRE_BEGAN_AT ?? Date.now())
let waiting = false

/** A line that says what is waited for is on terminals only, until the next line replaces it. */
export function progress(line: string, kind?: "waiting"): void {
  const isTerminal = process.stderr.isTTY === true
  if (kind === "waiting" && !isTerminal) return
  const seconds = ((Date.now() - beganAt) / 1000).toFixed(1).padStart(5)
  const clear = waiting ? "\r\x1b[K" : ""
  waiting = kind === "waiting"
  const time = styleText("dim", `${seconds} s`, { stream: process.stderr })
  process.stderr.write(`${clear}${time}  ${line}${waiting ? "" : "\n"}`)
}

export function printFailure(what: string, error: unknown): void {
  const lines = error instanceof ConfigurationError ? [error.message] : [`\n${what}:`, ...causes(error)]
  process.stderr.write(`${lines.join("\n")}\n`)
}

function causes(error: unknown): string[] {
  if (error === undefined || error === null) return []
  return error instanceof Error ? [`  ${error.message}`, ...causes(error.cause)] : [`  ${error}`]
}
