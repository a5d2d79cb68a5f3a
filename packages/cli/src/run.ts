import { CommanderError } from "commander"
import { Failure } from "./errors/failure.ts"
import { jsonText, plainLines } from "./output/escapeControls.ts"
import { buildProgram } from "./program.ts"
import type { Surroundings } from "./session/openSession.ts"
import { styleFor } from "./output/style.ts"
import { withoutTokens } from "./errors/redactTokens.ts"

/** Runs one command line. Resolves with the exit code: 0, or 1 refused or failed, 2 used wrongly, 3 unreachable. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stderr } = surroundings
  // A command that ends well without having succeeded (an invalid signature) sets its own code.
  const outcome = { exitCode: 0 }
  try {
    await buildProgram(surroundings, outcome).parseAsync([...args], { from: "user" })
    return outcome.exitCode
  } catch (error) {
    // commander has already written its own message or help text.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
    const failure = error instanceof Failure ? error : new Failure(1, unexpectedMessage(error))
    tellFailure(failure, args, stderr)
    return failure.exitCode
  }
}

/** Writes why a command line failed: for people, or as JSON where the line asks for that. */
export function tellFailure(failure: Failure, args: readonly string[], stderr: NodeJS.WriteStream): void {
  if (args.includes("--json")) {
    const { problem, message, exitCode } = failure
    const told = problem ?? { type: "about:blank", title: message, exit_code: exitCode }
    stderr.write(`${withoutTokens(jsonText(told))}\n`)
  } else {
    const message = withoutTokens(plainLines(failure.message))
    stderr.write(`${styleFor(stderr).paint("red", "error:")} ${message}\n`)
  }
}

function unexpectedMessage(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
