import type { Option } from "commander"
import { type CliCommand, type CommandGroup, isGroup } from "../command.ts"
import { globalOptions } from "../options/globalOptions.ts"

/** The commands as data: completion and the reference page are written from it. */
export type CommandDescription = {
  /** The words of the command after `sitewire`. */
  path: readonly string[]
  description: string
  options: readonly Option[]
  subcommands: readonly CommandDescription[]
  /** Null: a group of commands. */
  command: CliCommand | null
}

export function describeCommands(commands: readonly (CliCommand | CommandGroup)[]): CommandDescription {
  const describe = (entry: CliCommand | CommandGroup, parents: readonly string[]): CommandDescription => {
    const path = [...parents, entry.name]
    const group = isGroup(entry)
    return {
      path,
      description: entry.description,
      options: group ? [] : (entry.options ?? []).filter(({ hidden }) => !hidden),
      subcommands: group ? entry.commands.map((child) => describe(child, path)) : [],
      command: group ? null : entry,
    }
  }
  return {
    path: [],
    description: "",
    options: globalOptions,
    subcommands: commands
      .filter((entry) => !(isGroup(entry) && entry.hidden))
      .map((entry) => describe(entry, [])),
    command: null,
  }
}

/** A command and all commands below it. */
export function withSubcommands(command: CommandDescription): CommandDescription[] {
  return [command, ...command.subcommands.flatMap(withSubcommands)]
}
