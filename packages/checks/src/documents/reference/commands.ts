import type { CommandHelp } from "./readCommands.ts"

export function commandsPage(sitewire: CommandHelp): string {
  return [
    "# Commands",
    "What `sitewire --help` and the `--help` of each command print. In a clone of the repository, `sitewire` is " +
      "`npm run --silent sitewire --`.",
    ...sections(sitewire),
  ].join("\n\n")
}

/**
 * A group such as `sitewire channel` gets no section, because it does nothing by itself and its help text
 * only lists its commands.
 */
function sections(command: CommandHelp): string[] {
  const isGroup = command.subcommands.length > 0 && command.path.includes(" ")
  const own = isGroup ? [] : [`## ${command.path}`, `\`\`\`text\n${command.help.trimEnd()}\n\`\`\``]
  return [...own, ...command.subcommands.flatMap(sections)]
}
