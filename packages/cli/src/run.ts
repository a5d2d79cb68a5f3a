import { CommanderError } from "commander"
import { type ExitCode, exitCodes } from "./errors/exitCodes.ts"
import { Failure, incorrectUsage } from "./errors/failure.ts"
import { writeFailure } from "./errors/writeFailure.ts"
import { createProgram } from "./program.ts"
import type { Outcome, ProcessContext } from "./session/createSession.ts"

export async function run(args: readonly string[], context: ProcessContext): Promise<ExitCode> {
  const outcome: Outcome = { exitCode: exitCodes.success }
  const json = args.includes("--json")
  try {
    await createProgram(context, outcome, json).parseAsync([...args], { from: "user" })
    return outcome.exitCode
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return exitCodes.success
      // Without --json, commander has already written its message or the help text.
      if (json) writeFailure(incorrectUsage(messageOf(error)), args, context)
      return exitCodes.incorrectUsage
    }
    const failure = error instanceof Failure ? error : new Failure("failed", unexpectedMessage(error))
    writeFailure(failure, args, context)
    return failure.exitCode
  }
}

function messageOf({ code, message }: CommanderError): string {
  return code === "commander.help"
    ? "The command is missing. Run it with --help to see its commands."
    : message.replace(/^error: /, "")
}

function unexpectedMessage(error: unknown): string {
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error)
  return `Unexpected error: ${message}. Check the state before you repeat the command, and report the error.`
}
