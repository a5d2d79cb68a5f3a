import { spawn } from "node:child_process"
import { once } from "node:events"
import { open, readFile, rename } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { readyWithinMs } from "../../deadlines.ts"
import type { BackingOptions } from "../types.ts"
import { type Account, underAccount } from "./postgresAccount.ts"
import { signalIfRunning } from "./processes.ts"

export type Running = {
  pid: number
  /** Sends the signal, and SIGKILL at the deadline. Resolves when the server has ended. */
  end(signal: NodeJS.Signals, deadlineMs: number): Promise<void>
}

/**
 * Starts a server and resolves when `ready` returns true. If the server ends before that or takes too long,
 * rejects with the end of its log. The server has its own session: Ctrl-C reaches only this process, which
 * then stops the servers in the right order. If this process is killed, a watcher stops the server.
 */
export async function launchServer(
  server: {
    what: string
    command: string
    args: readonly string[]
    cwd: string
    env: Record<string, string>
    account: Account | undefined
    log: string
    endWith: NodeJS.Signals
    started: (pid: number) => Promise<void>
    ready: (pid: number) => Promise<boolean>
  } & Pick<BackingOptions, "onUnaskedEnd">,
): Promise<Running> {
  const { what, command, args, cwd, env, account, log, endWith, started, ready, onUnaskedEnd } = server
  await rename(log, `${log}.previous`).catch(() => {})
  const output = await open(log, "w")
  const under = underAccount(account, command, args)
  const child = spawn(under.command, under.args, {
    cwd,
    env,
    detached: true,
    stdio: ["ignore", output.fd, output.fd],
    ...under.ids,
  })
  let failure: Error | undefined
  child.once("error", (error) => {
    failure = error
  })
  const ended = new Promise<void>((resolve) => {
    child.once("exit", () => resolve())
    child.once("error", () => resolve())
  })
  await output.close()
  const pid = child.pid
  if (pid === undefined) {
    await ended
    throw new Error(`${what} did not start: ${failure?.message}`, { cause: failure })
  }
  child.unref()
  await watch(pid, endWith, account, ended)
  await started(pid)

  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  const fate = () => `ended (${child.signalCode ?? `exit code ${child.exitCode}`})`
  let asked = false
  const end: Running["end"] = async (signal, deadlineMs) => {
    asked = true
    if (hasEnded()) return
    signalIfRunning(pid, signal)
    const timer = setTimeout(() => signalIfRunning(pid, "SIGKILL"), deadlineMs)
    await ended
    clearTimeout(timer)
  }

  const until = Date.now() + readyWithinMs
  while (!(await ready(pid))) {
    if (hasEnded() || Date.now() > until) {
      const reason = hasEnded() ? fate() : `was not ready after ${readyWithinMs / 1_000} s`
      await end("SIGKILL", 0)
      throw new Error(`${what} ${reason}. The end of ${log}:\n${await tail(log)}`)
    }
    await sleep(20)
  }
  void ended.then(() => {
    if (!asked) onUnaskedEnd?.(`${what} ${fate()}, and is not started again. Its log is ${log}`)
  })
  return { pid, end }
}

/**
 * Starts a shell that reads from a pipe. If this process ends without stopping the server, even by kill -9,
 * the kernel closes the pipe, and the shell stops the server. The shell runs under the server's account, so
 * that it cannot signal processes of others.
 */
async function watch(
  pid: number,
  signal: NodeJS.Signals,
  account: Account | undefined,
  ended: Promise<void>,
) {
  const script = `read -r _; kill -s ${signal.slice(3)} ${pid} || exit 0
    for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do sleep 1; kill -0 ${pid} || exit 0; done
    kill -s KILL ${pid}`
  const watcher = spawn("/bin/sh", ["-c", script], {
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
    cwd: "/",
    ...(account && { uid: account.uid, gid: account.gid }),
  })
  await once(watcher, "spawn")
  watcher.unref()
  // When the server has ended, another process may get its id, and the watcher must not kill that process.
  void ended.then(() => watcher.kill("SIGKILL"))
}

async function tail(log: string) {
  const text = await readFile(log, "utf8").catch(() => "")
  return text.trimEnd().split("\n").slice(-15).join("\n")
}
