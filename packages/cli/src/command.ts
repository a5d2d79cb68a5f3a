import type { Operation } from "@sitewire/contracts/routes"
import type { Option } from "commander"
import type { z } from "zod"
import type { Session } from "./session/createSession.ts"

export type CliCommand = {
  name: string
  description: string
  arguments?: readonly (readonly [syntax: string, description: string])[]
  options?: readonly Option[]
  /** Shown between the options and the examples of the help text. */
  notes?: string
  examples: readonly [string, ...string[]]
  /** The operation that the command calls, if its fields are the command's options. */
  operation?: Operation
  /** What --json prints: its schema, or a sentence if there is none. The reference page is written from it. */
  json: z.ZodType | string
  /**
   * If this is set, `run` must reject unexpected arguments itself. commander's message would quote them, and
   * an argument can be a secret.
   */
  allowExcessArguments?: true
  // A method, because TypeScript lets implementations of a method narrow the parameters' types:
  // each command declares the types of its own arguments and options.
  run(session: Session, args: readonly string[], options: object): Promise<void>
}

export type CommandGroup = {
  name: string
  description: string
  commands: readonly (CliCommand | CommandGroup)[]
  /** Other names of commands, which no help text lists. */
  hidden?: true
}

export function isGroup(entry: CliCommand | CommandGroup): entry is CommandGroup {
  return "commands" in entry
}
