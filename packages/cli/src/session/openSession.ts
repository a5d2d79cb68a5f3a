import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { buffer } from "node:stream/consumers"
import type { Command } from "commander"
import { type Client, createClient } from "../api/client.ts"
import { Failure, usage } from "../errors/failure.ts"
import { jsonText, plainLines } from "../output/escapeControls.ts"
import { type Style, styleFor } from "../output/style.ts"
import { type ApiTarget, adviseUnreachable, findApi, type Sources } from "../target/findApi.ts"

/** The process as a command sees it. */
export type Surroundings = {
  env: NodeJS.ProcessEnv
  /** Where the local stack's file is looked for, from here upwards. */
  cwd: string
  /** What relative file names begin from. */
  filesFrom: string
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
}

export type Session = Sources & {
  json: boolean
  stdout: NodeJS.WriteStream
  /** The API's own JSON under --json, else what `human` makes of it. */
  show<T>(value: T, human: (value: T, style: Style) => string): void
  /** For whoever reads along; goes to standard error, and nowhere under --json. */
  note(text: string): void
  /** A file's bytes, or standard input's to its end for "-"; `what` is asked for where that is a terminal. */
  readInput(file: string, what: string): Promise<Buffer>
  /** Asks the management API; found only now, so that a command without it works with nothing running. */
  ask<T>(work: (client: Client, target: ApiTarget) => Promise<T>): Promise<T>
}

type GlobalOptions = Sources["options"] & { json?: boolean }

/** What one command works with, from the options given anywhere on its line. */
export function openSession(surroundings: Surroundings, command: Command): Session {
  const { env, cwd, filesFrom, stdin, stdout, stderr } = surroundings
  const { json = false, ...options } = command.optsWithGlobals<GlobalOptions>()
  const note = (text: string) => void (json || stderr.write(`${plainLines(text)}\n`))
  return {
    options,
    env,
    cwd,
    json,
    stdout,
    note,
    show: (value, human) => void stdout.write(`${json ? jsonText(value) : human(value, styleFor(stdout))}\n`),
    readInput: (file, what) => {
      if (file !== "-") return readNamedFile(resolve(filesFrom, file))
      if (stdin.isTTY) note(`Reading ${what} from the terminal; end it with Ctrl-D.`)
      return buffer(stdin)
    },
    ask: async (work) => {
      const target = findApi({ options, env, cwd })
      try {
        return await work(createClient(target), target)
      } catch (error) {
        if (!(error instanceof Failure) || error.exitCode !== 3) throw error
        throw new Failure(3, `${error.message} ${adviseUnreachable(target.local)}`)
      }
    },
  }
}

async function readNamedFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unreadable"
    throw usage(`${path} cannot be read (${code}). Check its name and your permissions.`)
  }
}
