import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { nodeArguments, nodeEnvironment } from "@sitewire/backing"
import { waitUntil } from "../../../testkit/src/waitUntil.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const compileCache = join(root, ".sitewire/compiled")

export type StartedProcess = {
  pid: number
  /** What the process announced: `ops` and whatever else it listens on. */
  addresses: Record<string, string>
  /** All that it has written so far, standard output and error together. */
  output: () => string
  /** Sends the signal and waits for the end. Returns the exit code, null after a kill. */
  end: (signal?: NodeJS.Signals) => Promise<number | null>
  child: ChildProcess
}

/**
 * Starts a service as operators do, `node <main>` with an environment and nothing inherited but the PATH, and waits
 * until it says that it is ready. Rejects with its output where it exits before.
 */
export async function startProcess(main: string, env: Record<string, string>): Promise<StartedProcess> {
  const child = spawn(process.execPath, [...nodeArguments(main), main], {
    cwd: root,
    env: {
      ...nodeEnvironment,
      NODE_COMPILE_CACHE: compileCache,
      PATH: process.env.PATH,
      OPS_HOST: "127.0.0.1",
      OPS_PORT: "0",
      ...env,
    },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding("utf8").on("data", (text) => chunks.push(text))
  const output = () => chunks.join("")
  const addresses: Record<string, string> = {}
  let ready = false
  child.on("message", (message: { addresses?: Record<string, string>; ready?: boolean }) => {
    Object.assign(addresses, message.addresses)
    ready ||= message.ready === true
  })
  await waitUntil(
    `${main} to be ready`,
    () => ready || child.exitCode !== null || child.signalCode !== null,
    60_000,
  )
  if (!ready || child.pid === undefined) throw new Error(`${main} ended before it was ready:\n${output()}`)
  return {
    pid: child.pid,
    addresses,
    output,
    child,
    async end(signal = "SIGTERM") {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit")
        child.kill(signal)
        await exited
      }
      return child.exitCode
    },
  }
}
