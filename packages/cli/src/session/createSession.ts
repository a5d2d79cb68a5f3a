import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { buffer } from "node:stream/consumers"
import { type Client, createClient } from "../api/client.ts"
import type { ExitCode } from "../errors/exitCodes.ts"
import { Failure, failed, incorrectUsage } from "../errors/failure.ts"
import type { ConfirmOptions } from "../options/pageOptions.ts"
import { escapeLines, formatJson } from "../output/escapeControls.ts"
import { createProgress, type Progress } from "../output/progress.ts"
import { createStyle, type Style, usesColour } from "../output/style.ts"
import { findApi } from "../target/findApi.ts"
import { type TargetSources, unreachableAdvice } from "../target/targetSources.ts"
import { ask, isTerminal } from "./ask.ts"

export type ProcessContext = {
  env: NodeJS.ProcessEnv
  /** The local stack's file, `.sitewire/local.json`, is looked for in this folder and its parents. */
  cwd: string
  /** Relative names of input files are resolved against this folder. */
  inputFolder: string
  stdin: NodeJS.ReadStream
  stdout: NodeJS.WriteStream
  stderr: NodeJS.WriteStream
  /** Returns a signal that is aborted at Ctrl-C. Until this is called, Ctrl-C ends the process at once. */
  interrupted: () => AbortSignal
}

/** Commands set `exitCode` if they complete without success, such as `verify` with an invalid signature. */
export type Outcome = { exitCode: ExitCode }

export type Session = TargetSources & {
  stdout: NodeJS.WriteStream
  outcome: Outcome
  interrupted: ProcessContext["interrupted"]
  /** True if a person at a terminal can answer questions. */
  interactive: boolean
  /** Prints `value` as JSON if --json is set, otherwise what `format` returns. */
  print<T>(value: T, format: (value: T, style: Style) => string): void
  /** Writes a hint to standard error, unless --json is set. */
  note(text: string): void
  /** A bar on a terminal, otherwise lines; nothing if --json is set. */
  startProgress(): Progress
  /**
   * Asks before an irreversible operation, unless --yes is set. Without a terminal and without --yes it
   * rejects, and `describe` is not called.
   */
  confirm(options: ConfirmOptions, describe: () => string | Promise<string>): Promise<void>
  /**
   * Reads a file, or standard input if `file` is "-". If the user has to type the input, a note asks for
   * `what`.
   */
  readInput(file: string, what: string): Promise<Buffer>
  /** Reads one line from a terminal, otherwise all of standard input. `hidden`: does not show what is typed. */
  readLine(what: string, options?: { hidden?: boolean }): Promise<string>
  /**
   * Calls the management API. Only this method looks up the API's address and key, so that commands that do
   * not call the API work without them.
   */
  callApi<T>(call: (client: Client) => Promise<T>): Promise<T>
}

type GlobalOptions = TargetSources["options"] & { json?: boolean; color?: boolean; wide?: boolean }

export function createSession(
  { env, cwd, inputFolder, stdin, stdout, stderr, interrupted }: ProcessContext,
  { globalOptions, outcome }: { globalOptions: GlobalOptions; outcome: Outcome },
): Session {
  const { json = false, color = true, wide = false, ...options } = globalOptions
  const note = (text: string) => void (json || stderr.write(`${escapeLines(text)}\n`))
  const width = stdout.isTTY && !wide ? (stdout.columns ?? 80) : null
  const style = () => createStyle({ colour: color && usesColour(stdout, env), width })
  const interactive = isTerminal({ stdin, stderr })
  return {
    options,
    env,
    cwd,
    stdout,
    outcome,
    interrupted,
    interactive,
    note,
    startProgress: () => createProgress(stderr, { note, bar: stderr.isTTY === true && !json }),
    print: (value, format) => void stdout.write(`${json ? formatJson(value) : format(value, style())}\n`),
    confirm: async ({ yes = false }, describe) => {
      if (yes) return
      if (!interactive) {
        throw incorrectUsage(
          "This cannot be undone, and there is no terminal to ask for confirmation. Nothing was changed. Add --yes.",
        )
      }
      const answer = await ask({ stdin, stderr }, `${escapeLines(await describe())} Continue? [y/N] `)
      if (!/^y(es)?$/i.test(answer.trim())) throw failed("Not confirmed, so nothing was changed.")
    },
    readInput: (file, what) => {
      if (file !== "-") return readNamedFile(resolve(inputFolder, file))
      if (stdin.isTTY) note(`Type ${what}, and end the input with Ctrl-D.`)
      return buffer(stdin)
    },
    readLine: async (what, lineOptions) =>
      interactive
        ? ask({ stdin, stderr }, `Type ${what}: `, lineOptions)
        : (await buffer(stdin)).toString().trim(),
    callApi: async (call) => {
      const target = findApi({ options, env, cwd })
      try {
        return await call(createClient(target))
      } catch (error) {
        if (!(error instanceof Failure) || error.kind !== "unreachable") throw error
        throw new Failure(error.kind, `${error.message} ${unreachableAdvice(target.local)}`)
      }
    },
  }
}

async function readNamedFile(path: string): Promise<Buffer> {
  try {
    return await readFile(path)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "unreadable"
    throw incorrectUsage(`${path} cannot be read (${code}). Check its name and your permissions.`)
  }
}
