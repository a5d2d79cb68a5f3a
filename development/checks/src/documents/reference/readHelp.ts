import { PassThrough } from "node:stream"
import { createProgram } from "@sitewire/cli/program"

/** What `--help` prints for `sitewire` and each of its commands and groups, by path, such as `sitewire channel`. */
export function readHelp(): Map<string, string> {
  let written = ""
  const stdout = Object.assign(new PassThrough(), { columns: 100 }) as unknown as NodeJS.WriteStream
  stdout.write = (text) => {
    written += text
    return true
  }
  const stdin = new PassThrough() as unknown as NodeJS.ReadStream
  const help = new Map<string, string>()
  function add(command: ReturnType<typeof createProgram>, parents: string): void {
    const path = `${parents} ${command.name()}`.trim()
    written = ""
    command.outputHelp()
    help.set(path, written)
    for (const subcommand of command.commands) add(subcommand, path)
  }
  const interrupted = () => new AbortController().signal
  const context = { env: {}, cwd: "/", inputFolder: "/", stdin, stdout, stderr: stdout, interrupted }
  add(createProgram(context, { exitCode: 0 }), "")
  return help
}
