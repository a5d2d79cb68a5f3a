import { commands } from "./commands/commands.ts"
import { type CommandDescription, describeCommands, withSubcommands } from "./grammar/describeCommands.ts"
import { jsonShape } from "./output/jsonShape.ts"

/** A command for the reference page and the manual page. */
export type DocumentedCommand = {
  path: string
  aliases: readonly string[]
  description: string
  arguments: readonly (readonly [syntax: string, description: string])[]
  options: readonly {
    flags: string
    description: string
    default: string | null
    choices: readonly string[]
  }[]
  notes: string | null
  examples: readonly string[]
  /** What --json prints, in TypeScript's notation, or in a sentence. */
  json: { text: string; isType: boolean }
}

export type Reference = {
  globalOptions: DocumentedCommand["options"]
  commands: readonly DocumentedCommand[]
  /** The types that `json` names. */
  types: ReadonlyMap<string, string>
}

export function readReference(): Reference {
  const root = describeCommands(commands)
  const types = new Map<string, string>()
  const documented = withSubcommands(root).flatMap((description) => {
    const { command } = description
    if (!command) return []
    const shape = typeof command.json === "string" ? null : jsonShape(command.json)
    for (const [name, text] of shape?.types ?? []) types.set(name, text)
    const [group = ""] = description.path
    const alias = root.subcommands.find(({ path }) => path[0] === group)?.alias
    return [
      {
        path: ["sitewire", ...description.path].join(" "),
        aliases: alias ? [["sitewire", alias, ...description.path.slice(1)].join(" ")] : [],
        description: command.description,
        arguments: command.arguments ?? [],
        options: optionsOf(description),
        notes: command.notes ?? null,
        examples: command.examples,
        json: shape ? { text: shape.text, isType: true } : { text: String(command.json), isType: false },
      },
    ]
  })
  return {
    globalOptions: optionsOf(root),
    commands: documented,
    types: new Map([...types].sort(([one], [other]) => one.localeCompare(other))),
  }
}

function optionsOf({ options }: CommandDescription): DocumentedCommand["options"] {
  return options.map(({ flags, description, defaultValue, argChoices }) => ({
    flags,
    description,
    default: defaultValue === undefined || typeof defaultValue === "boolean" ? null : String(defaultValue),
    choices: argChoices ?? [],
  }))
}
