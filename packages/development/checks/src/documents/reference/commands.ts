import type { Reference } from "@sitewire/cli/reference"
import type { CommandHelp } from "./readCommands.ts"

export function commandsPage(sitewire: CommandHelp, { commands, types }: Reference): string {
  const json = new Map(commands.map((command) => [command.path, command.json]))
  return [
    "# Commands",
    "What `sitewire --help` and the `--help` of each command print. In a clone of the repository, `sitewire` is " +
      "`npm run --silent sitewire --`. The same text is the manual page [sitewire.1](sitewire.1).",
    "With `--json`, a command prints one value of the type below it, in TypeScript's notation; the named types are at " +
      "the [end](#json-types). Later versions may add fields. An error is a problem document, or " +
      "`{ type: string, title: string, exit_code: number }`, on standard error.",
    ...sections(sitewire, json),
    "## JSON types",
    code("ts", [...types].map(([name, text]) => `type ${name} = ${text}`).join("\n\n")),
  ].join("\n\n")
}

type Json = Reference["commands"][number]["json"]

/**
 * A group such as `sitewire channel` gets no section, because it does nothing by itself and its help text
 * only lists its commands.
 */
function sections(command: CommandHelp, json: ReadonlyMap<string, Json>): string[] {
  if (command.hidden) return []
  const isGroup = command.subcommands.length > 0 && command.path.includes(" ")
  const own = isGroup ? [] : [`## ${command.path}`, code("text", command.help.trimEnd())]
  const printed = json.get(command.path)
  const shape = printed === undefined ? [] : [describe(printed)]
  return [...own, ...shape, ...command.subcommands.flatMap((subcommand) => sections(subcommand, json))]
}

function describe({ text, isType }: Json): string {
  return isType ? `\`--json\`:\n\n${code("ts", text)}` : `\`--json\`: ${text}`
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}
