import { commands } from "@sitewire/cli/commands"
import { describeCommands, withSubcommands } from "@sitewire/cli/grammar"
import { jsonShape } from "./jsonShape.ts"

/** What the help text of a command does not contain. */
export type Reference = {
  commands: readonly {
    path: string
    /** What --json prints, in TypeScript's notation, or in a sentence. */
    json: { text: string; isType: boolean }
  }[]
  /** The types that `json` names. */
  types: ReadonlyMap<string, string>
}

export function readReference(): Reference {
  const types = new Map<string, string>()
  const documented = withSubcommands(describeCommands(commands)).flatMap(({ command, path }) => {
    if (!command) return []
    const shape = typeof command.json === "string" ? null : jsonShape(command.json)
    for (const [name, text] of shape?.types ?? []) types.set(name, text)
    return [
      {
        path: ["sitewire", ...path].join(" "),
        json: shape ? { text: shape.text, isType: true } : { text: String(command.json), isType: false },
      },
    ]
  })
  return {
    commands: documented,
    types: new Map([...types].sort(([one], [other]) => one.localeCompare(other))),
  }
}
