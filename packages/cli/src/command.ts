import type { Option } from "commander"
import type { Session } from "./session/createSession.ts"

/** One command. `createProgram` registers it with commander. */
export type CliCommand = {
  name: string
  description: string
  arguments?: readonly (readonly [syntax: string, description: string])[]
  options?: readonly Option[]
  /** Shown between the options and the examples of the help text. */
  notes?: string
  /** Command lines as they are typed. */
  examples: readonly [string, ...string[]]
  /** Leaves it to `run` to reject unexpected arguments, because commander's own message quotes them. */
  allowExcessArguments?: true
  // A method, so that each command can declare the types that its own arguments and options have.
  run(session: Session, args: readonly string[], options: object): Promise<void>
}

export type CommandGroup = {
  name: string
  description: string
  commands: readonly (CliCommand | CommandGroup)[]
}
