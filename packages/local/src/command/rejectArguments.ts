import { parseArgs } from "node:util"

/**
 * For a command that has no arguments: `--help` says what it does and ends it, anything else is refused. Before all else,
 * so that whoever only asks has nothing done to what is theirs.
 */
export function takeNoArguments(usage: string): void {
  try {
    const { values } = parseArgs({ options: { help: { type: "boolean", short: "h" } } })
    if (!values.help) return
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`)
    process.exit(2)
  }
}
