import { PassThrough } from "node:stream"
import { createProgram } from "@sitewire/cli/program"
import type { CommandNames } from "../names/findUnknownNames.ts"

type Command = ReturnType<typeof createProgram>

export type CommandHelp = Omit<CommandNames, "subcommands"> & {
  path: string
  help: string
  hidden: boolean
  subcommands: readonly CommandHelp[]
}

export function readCommands(): CommandHelp {
  let written = ""
  const stdout = Object.assign(new PassThrough(), { columns: 100 }) as unknown as NodeJS.WriteStream
  stdout.write = (text) => {
    written += text
    return true
  }
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream
  const interrupted = () => new AbortController().signal
  const context = { env: {}, cwd: "/", inputFolder: "/", stdin, stdout, stderr: stdout, interrupted }
  const describe = (command: Command, parents: string): CommandHelp => {
    const path = `${parents} ${command.name()}`.trim()
    written = ""
    command.outputHelp()
    return {
      name: command.name(),
      aliases: command.aliases(),
      path,
      hidden: isHidden(command),
      help: written,
      options: command.options.flatMap(({ long }) => long ?? []),
      subcommands: command.commands.map((subcommand) => describe(subcommand, path)),
    }
  }
  return describe(createProgram(context, { exitCode: 0 }), "")
}

function isHidden(command: Command): boolean {
  const { parent } = command
  return parent !== null && !parent.createHelp().visibleCommands(parent).includes(command)
}
