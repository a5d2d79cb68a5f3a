import { ConfigurationError } from "@sitewire/runtime"

export function printFailure(what: string, error: unknown): void {
  if (error instanceof ConfigurationError) {
    process.stderr.write(`${error.message}\n`)
    return
  }
  process.stderr.write(`\n${what}:\n`)
  for (let cause: unknown = error; cause !== undefined && cause !== null; ) {
    process.stderr.write(`  ${cause instanceof Error ? cause.message : String(cause)}\n`)
    cause = cause instanceof Error ? cause.cause : undefined
  }
}
