import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream } from "node:fs"
import { mkdir, readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { nodeArguments, nodeEnvironment } from "@sitewire/backing"
import { compiledFolder, logsFolder, root } from "./folders.ts"

const readyWithinMs = 60_000
const stopWithinMs = 30_000
const pauseBeforeRestartMs = 500

export type Service = {
  name: string
  pid: () => number
  /** Where it listens, as it announced at its first start. */
  addresses: Record<string, string>
  stop(): Promise<void>
}

export type ServiceSettings = {
  name: string
  main: string
  env: Record<string, string>
  /**
   * Which variable sets the port of which address that it announces, OPS_PORT beside: what was free at the first start
   * is asked for at a restart.
   */
  ports?: Record<string, string>
  onRestart: (line: string) => void
}

/**
 * Runs a service as a process of its own and starts it again when it ends unasked, as Kubernetes would. Its log goes
 * to a file. Rejects with the end of the log where the first start fails.
 */
export async function supervise(settings: ServiceSettings): Promise<Service> {
  const { name, main, ports, onRestart } = settings
  await mkdir(logsFolder, { recursive: true })
  const logFile = join(logsFolder, `${name}.log`)
  let stopping = false
  let env = settings.env
  const first = await launch(name, main, env, logFile)
  let { child } = first
  for (const [variable, address] of Object.entries({ ...ports, OPS_PORT: "ops" })) {
    env = { ...env, [variable]: new URL(first.addresses[address] ?? "").port }
  }
  const kept = keepRunning()

  async function keepRunning(): Promise<void> {
    while (!stopping) {
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit")
      if (stopping) return
      const how = child.signalCode ?? `exit code ${child.exitCode}`
      onRestart(`${name} ended (${how}); starting it again. Its log: ${logFile}`)
      await sleep(pauseBeforeRestartMs)
      if (stopping) return
      try {
        child = (await launch(name, main, env, logFile)).child
        onRestart(`${name} runs again as process ${child.pid}`)
      } catch (error) {
        onRestart(error instanceof Error ? error.message : String(error))
        await sleep(pauseBeforeRestartMs * 4)
      }
    }
  }

  return {
    name,
    pid: () => child.pid ?? 0,
    addresses: first.addresses,
    async stop() {
      stopping = true
      await end(child)
      await kept
    },
  }
}

async function launch(name: string, main: string, env: Record<string, string>, logFile: string) {
  const logBegan = await stat(logFile).then(
    ({ size }) => size,
    () => 0,
  )
  const child = spawn(process.execPath, [...nodeArguments(main), main], {
    cwd: root,
    env: { ...nodeEnvironment, PATH: process.env.PATH, NODE_COMPILE_CACHE: compiledFolder, ...env },
    // Its own process group: Ctrl-C is for us, and we decide who stops when.
    detached: true,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  })
  const log = createWriteStream(logFile, { flags: "a", mode: 0o600 })
  child.stdout?.pipe(log, { end: false })
  child.stderr?.pipe(log, { end: false })
  child.once("close", () => log.end())
  const addresses: Record<string, string> = {}
  const ready = new Promise<"ready">((resolve) => {
    child.on("message", (message: { addresses?: Record<string, string>; ready?: boolean }) => {
      Object.assign(addresses, message.addresses)
      if (message.ready) resolve("ready")
    })
  })
  const ended = once(child, "close").then(() => "ended" as const)
  const late = new AbortController()
  const timeout = sleep(readyWithinMs, "late" as const, { signal: late.signal }).catch(() => "late" as const)
  const outcome = await Promise.race([ready, ended, timeout])
  late.abort()
  if (outcome === "ready") return { child, addresses }
  await end(child)
  const why =
    outcome === "ended" ? "ended before it was ready" : `was not ready after ${readyWithinMs / 1000} s`
  throw new Error(`${name} ${why} (its log: ${logFile})`, { cause: await readReason(logFile, logBegan) })
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, "exit")
  child.kill("SIGTERM")
  const forced = setTimeout(() => child.kill("SIGKILL"), stopWithinMs)
  await exited
  clearTimeout(forced)
}

/** Why a service ended: the message of its fatal error, or else the last lines that it wrote since `from`. */
async function readReason(file: string, from: number): Promise<string> {
  const written = (await readFile(file)).subarray(from).toString("utf8").trimEnd().split("\n")
  const fatal = written.map(fatalMessage).findLast((message) => message !== undefined)
  return fatal ?? written.slice(-8).join("\n")
}

function fatalMessage(line: string): string | undefined {
  try {
    const { level, error } = JSON.parse(line) as { level?: string; error?: { message?: string } }
    return level === "fatal" ? error?.message : undefined
  } catch {
    // Not a log line, such as what a wrong configuration prints.
    return undefined
  }
}
