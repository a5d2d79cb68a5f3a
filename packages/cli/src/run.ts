import { CommanderError } from "commander"
import { type ExitCode, exitCodes } from "./errors/exitCodes.ts"
import { Failure } from "./errors/failure.ts"
import { writeFailure } from "./errors/writeFailure.ts"
import { createProgram } from "./program.ts"
import type { Outcome, ProcessContext } from "./session/createSession.ts"

export async function run(args: readonly string[], context: ProcessContext): Promise<ExitCode> {
  const outcome: Outcome = { exitCode: exitCodes.success }
  try {
    await createProgram(context, outcome).parseAsync([...args], { from: "user" })
    return outcome.exitCode
  } catch (error) {
    // commander has already written its message or the help text.
    if (error instanceof CommanderError)
      return error.exitCode === 0 ? exitCodes.success : exitCodes.incorrectUsage
    const failure = error instanceof Failure ? error : new Failure("failed", unexpectedMessage(error))
    writeFailure(failure, args, context)
    return failure.exitCode
  }
}

function unexpectedMessage(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return `Unexpected error: ${message}. Check the state before you repeat the command, and report the error.`
}
