import { type ParseArgsConfig, parseArgs } from "node:util"

/**
 * The arguments of a tool. `--help` prints the usage and ends the process with 0; invalid arguments print what is wrong and
 * the usage, and end it with 2.
 */
export function readArguments<Options extends NonNullable<ParseArgsConfig["options"]>>(
  options: Options,
  usage: string,
  { allowPositionals = true }: { allowPositionals?: boolean } = {},
) {
  function explain(why: string): never {
    process.stderr.write(`${why}\nusage: ${usage}\n`)
    process.exit(2)
  }
  try {
    const help = { help: { type: "boolean", short: "h" } } as const
    const parsed = parseArgs({ allowPositionals, options: { ...options, ...help } })
    if ((parsed.values as { help?: boolean }).help) {
      process.stdout.write(`usage: ${usage}\n`)
      process.exit(0)
    }
    return { ...parsed, explain }
  } catch (error) {
    return explain(error instanceof Error ? error.message : String(error))
  }
}
