import { parseArgs } from "node:util"
import { checkProgram } from "./checkProgram.ts"
import { checkReceiver } from "./checkReceiver.ts"
import { help } from "./help.ts"
import { type OptionValues, options } from "./options.ts"
import { readTarget } from "./readTarget.ts"
import { isDeliveryKind, send } from "./send.ts"
import { UsageError } from "./usageError.ts"

export type Surroundings = { env: NodeJS.ProcessEnv; stdout: { write(text: string): unknown } }

/** Returns the exit code. Throws a UsageError. */
export async function run(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const end = args.indexOf("--")
  const program = end < 0 ? null : args.slice(end + 1)
  const { values, positionals } = parse(end < 0 ? args : args.slice(0, end))
  const [command, ...rest] = positionals
  const { stdout } = surroundings
  if (values.help || args.length === 0) {
    stdout.write(help)
    return 0
  }
  const kinds = Object.keys(values).filter(isDeliveryKind)
  if (command === "check" && program) {
    if (rest.length > 0 || Object.keys(values).length > 0)
      throw new UsageError("check takes a program alone: write nothing between check and --.")
    return checkProgram(program, stdout)
  }
  if (program) throw new UsageError("Only check takes a program.")
  if (command === "send") {
    if (values["retired-secret-env"] !== undefined || values["staged-secret-env"] !== undefined)
      throw new UsageError("--retired-secret-env and --staged-secret-env are options of check.")
    if (kinds.length > 1) throw new UsageError(`Give one of --${kinds.join(" and --")} at a time.`)
    return send(readTarget(rest, values, surroundings.env), kinds[0] ?? "genuine", stdout)
  }
  if (command === "check") {
    if (kinds.length > 0) throw new UsageError(`--${kinds[0]} is an option of send.`)
    return checkReceiver(readTarget(rest, values, surroundings.env), stdout)
  }
  throw new UsageError("The first argument must be send or check.")
}

function parse(args: readonly string[]): { values: OptionValues; positionals: string[] } {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true })
  } catch (error) {
    // An argument can be a secret, so only what looks like the name of an option is quoted.
    const [name = "An option"] = /(?<=[Oo]ption ')--?[a-z][a-z-]*(?=[' ])/.exec(String(error)) ?? []
    const isUnknown = /unknown option/i.test(String(error))
    throw new UsageError(`${name} ${isUnknown ? "is unknown" : "lacks its value, or takes none"}.`)
  }
}
