import { type CommandDescription, describeCommands, withSubcommands } from "../../grammar/describeCommands.ts"

type Commands = Parameters<typeof describeCommands>[0]

type Word = { word: string; description: string }

/** What can follow the words of a command. */
export type CompletionEntry = {
  /** The words before, such as `delivery list`; empty for `sitewire` itself. */
  path: string
  subcommands: readonly Word[]
  options: readonly (Word & { takesValue: boolean; values: readonly string[] })[]
}

export function completionModel(commands: Commands): CompletionEntry[] {
  const root = describeCommands(commands)
  return withSubcommands(root).map((command) => ({
    path: command.path.join(" "),
    subcommands: command.subcommands.map((child) => ({
      word: child.path.at(-1) ?? "",
      description: child.description,
    })),
    options: optionsOf(command, root),
  }))
}

function optionsOf(command: CommandDescription, root: CommandDescription): CompletionEntry["options"] {
  const own = command === root ? [] : command.options
  const options = [...own, ...root.options].flatMap(({ long, short, description, required, argChoices }) =>
    [long, short].flatMap((word) =>
      word ? [{ word, description, takesValue: required, values: argChoices ?? [] }] : [],
    ),
  )
  const version = { word: "--version", description: "print the version", takesValue: false, values: [] }
  const help = { word: "--help", description: "print the help text", takesValue: false, values: [] }
  return [...options, help, ...(command === root ? [version] : [])]
}

/** By which words each command is reached: its last word after those of its parent. */
export function pathNames(entries: readonly CompletionEntry[]): { path: string; name: string }[] {
  return entries.flatMap(({ path }) => {
    const words = path.split(" ")
    return path === "" ? [] : [{ path, name: `${words.slice(0, -1).join(" ")} ${words.at(-1)}` }]
  })
}

/** Options whose value can be anything, such as a file. */
export function valueOptions(entries: readonly CompletionEntry[]): string[] {
  const options = entries.flatMap((entry) => entry.options)
  const free = options.filter(({ takesValue, values }) => takesValue && values.length === 0)
  const others = new Set(options.filter(({ takesValue }) => !takesValue).map(({ word }) => word))
  return [...new Set(free.map(({ word }) => word))].filter((word) => !others.has(word))
}
