import type { Option } from "commander"
import { type CliCommand, type CommandGroup, isGroup } from "../command.ts"
import { globalOptions } from "../options/globalOptions.ts"
import { pluralOf } from "./pluralOf.ts"

/** The commands as data: completion, the reference page and the manual page are written from it. */
export type CommandDescription = {
  /** The words of the command after `sitewire`. */
  path: readonly string[]
  /** Another word for the last one of `path`, or null. */
  alias: string | null
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
      alias: group && parents.length === 0 ? pluralOf(entry.name) : null,
      description: entry.description,
      options: group ? [] : (entry.options ?? []).filter(({ hidden }) => !hidden),
      subcommands: group ? entry.commands.map((child) => describe(child, path)) : [],
      command: group ? null : entry,
    }
  }
  return {
    path: [],
    alias: null,
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
