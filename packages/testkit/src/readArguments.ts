import { type ParseArgsConfig, parseArgs } from "node:util"

/** The arguments of a tool. What is wrong with them is said with what they may be, and ends the process with 2. */
export function readArguments<Options extends NonNullable<ParseArgsConfig["options"]>>(
  options: Options,
  usage: string,
) {
  function explain(why: string): never {
    process.stderr.write(`${why}\nusage: ${usage}\n`)
    process.exit(2)
  }
  try {
    return { ...parseArgs({ allowPositionals: true, options }), explain }
  } catch (error) {
    return explain(error instanceof Error ? error.message : String(error))
  }
}
