import { type ParseArgsConfig, parseArgs } from "node:util"

/**
 * `--help` prints the usage and exits with 0. Invalid arguments print the reason and the usage, and exit with
 * 2.
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
