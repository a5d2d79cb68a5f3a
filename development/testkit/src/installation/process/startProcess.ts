import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { readyWithinMs } from "../../deadlines.ts"
import { type Checkout, ownCheckout } from "./checkout.ts"

export type StartedProcess = {
  pid: number
  addresses: Record<string, string>
  /** Standard output and error. With `logFile`, only what came before the process was ready. */
  output: () => string
  /** Sends the signal, and SIGKILL after `killAfterMs`. Resolves with the exit code; null after a kill. */
  end: (signal?: NodeJS.Signals, killAfterMs?: number) => Promise<number | null>
  ended: Promise<void>
  child: ChildProcess
}

export type StartOptions = {
  name?: string
  /** The checkout whose code runs; by default the one that contains this file. */
  checkout?: Checkout
  logFile?: string | undefined
  /** Ctrl-C in the terminal then does not reach the process. */
  ownProcessGroup?: boolean
  /** If this is aborted before the process is ready, the process is killed. */
  signal?: AbortSignal
}

/**
 * Starts a service with the Node arguments of its image. Resolves when the process announces over IPC that it
 * is ready. The process inherits only PATH. No other file starts services.
 */
export async function startProcess(
  main: string,
  env: Record<string, string>,
  options: StartOptions = {},
): Promise<StartedProcess> {
  const { name = main, logFile, signal } = options
  const { child, ended } = launch(main, [], env, options)
  const addresses: Record<string, string> = {}
  const ready = new Promise<"ready">((resolve) => {
    child.on("message", (message: { addresses?: Record<string, string>; ready?: boolean }) => {
      Object.assign(addresses, message.addresses)
      if (message.ready) resolve("ready")
    })
  })
  const retained = retainOutput(child)
  const log = logFile === undefined ? undefined : createWriteStream(logFile, { flags: "a", mode: 0o600 })
  if (log) for (const stream of [child.stdout, child.stderr]) stream?.pipe(log, { end: false })
  void ended.finally(() => log?.end()).catch(() => {})

  async function end(how: NodeJS.Signals = "SIGTERM", killAfterMs?: number): Promise<number | null> {
    if (child.exitCode === null && child.signalCode === null) child.kill(how)
    const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill("SIGKILL"), killAfterMs)
    await ended
    clearTimeout(timer)
    return child.exitCode
  }

  const kill = () => void child.kill("SIGKILL")
  if (signal?.aborted) kill()
  signal?.addEventListener("abort", kill)
  const timeout = new AbortController()
  const late = sleep(readyWithinMs, "late" as const, timeout).catch(() => "late" as const)
  const outcome = await Promise.race([ready, ended.then(() => "ended" as const), late])
  timeout.abort()
  signal?.removeEventListener("abort", kill)
  if (outcome === "ready") {
    // The process may run for weeks, so its output is no longer kept in memory.
    if (log) retained.stop()
    return { pid: child.pid ?? 0, addresses, output: retained.text, end, ended, child }
  }
  await end("SIGKILL")
  const why =
    outcome === "ended" ? "ended before it was ready" : `was not ready after ${readyWithinMs / 1_000} s`
  const details = logFile === undefined ? `:\n${retained.text()}` : ` (its log: ${logFile})`
  throw new Error(`${name} ${why}${details}`, { cause: reasonIn(retained.text()) })
}

/** Returns the script's standard output. Rejects unless the script exits with 0. */
export async function runScript(
  main: string,
  args: readonly string[],
  env: Record<string, string>,
  options: Pick<StartOptions, "checkout"> = {},
): Promise<string> {
  const { child, ended } = launch(main, args, env, options)
  const all = retainOutput(child)
  const stdout: string[] = []
  child.stdout?.on("data", (text: string) => stdout.push(text))
  await ended
  if (child.exitCode === 0) return stdout.join("")
  throw new Error(`${main} failed: ${reasonIn(all.text())}`)
}

function launch(
  main: string,
  args: readonly string[],
  env: Record<string, string>,
  { checkout = ownCheckout, ownProcessGroup = false }: StartOptions,
): { child: ChildProcess; ended: Promise<void> } {
  const child = spawn(process.execPath, [...checkout.nodeArguments(main), main, ...args], {
    cwd: checkout.root,
    env: {
      ...checkout.nodeEnvironment,
      NODE_COMPILE_CACHE: join(checkout.root, ".sitewire/compiled"),
      PATH: process.env.PATH,
      OPS_HOST: "127.0.0.1",
      OPS_PORT: "0",
      ...env,
    },
    detached: ownProcessGroup,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  })
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8")
  return { child, ended: once(child, "close").then(() => {}) }
}

function retainOutput({ stdout, stderr }: ChildProcess): { text: () => string; stop: () => void } {
  const chunks: string[] = []
  const retain = (text: string) => void chunks.push(text)
  for (const stream of [stdout, stderr]) stream?.on("data", retain)
  return {
    text: () => chunks.join(""),
    stop() {
      for (const stream of [stdout, stderr]) stream?.off("data", retain)
    },
  }
}

/** Finds why a process ended: the message of its fatal error, or else the last lines. */
function reasonIn(output: string): string {
  const lines = output.trimEnd().split("\n")
  const fatal = lines.map(fatalMessage).findLast((message) => message !== undefined)
  return fatal ?? lines.slice(-8).join("\n")
}

function fatalMessage(line: string): string | undefined {
  try {
    const { level, error } = JSON.parse(line) as { level?: string; error?: { message?: string } }
    return level === "fatal" ? error?.message : undefined
  } catch {
    // The line is no JSON: a configuration error is plain text.
    return undefined
  }
}
