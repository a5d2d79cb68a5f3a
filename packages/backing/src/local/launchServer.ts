import { spawn } from "node:child_process"
import { once } from "node:events"
import { open, readFile, rename } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { type Account, underAccount } from "./postgresAccount.ts"
import { signalIfThere } from "./processes.ts"

export type Running = {
  pid: number
  /** Sends the signal, waits, sends SIGKILL after the deadline, waits. Returns at once when it has ended already. */
  end(signal: NodeJS.Signals, deadlineMs: number): Promise<void>
}

/**
 * Starts a server that outlives nothing: it has its own session, so a Ctrl-C in the terminal reaches only us and
 * we choose the order of stopping, and a watcher ends it when we die in whatever way.
 * Resolves when `ready` says so; rejects with the end of the log when the server ends or the deadline passes first.
 */
export async function launch({
  what,
  command,
  args,
  cwd,
  env,
  account,
  log,
  endWith,
  started,
  ready,
}: {
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
}): Promise<Running> {
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
  await watch({ pid, signal: endWith, account, ended })
  await started(pid)

  const end: Running["end"] = async (signal, deadlineMs) => {
    const hasEnded = () => child.exitCode !== null || child.signalCode !== null
    if (hasEnded()) return
    signalIfThere(pid, signal)
    const timer = setTimeout(() => signalIfThere(pid, "SIGKILL"), deadlineMs)
    await ended
    clearTimeout(timer)
  }

  const until = Date.now() + 60_000
  while (!(await ready(pid))) {
    const over = child.exitCode !== null || child.signalCode !== null
    if (over || Date.now() > until) {
      const fate = over
        ? `ended (${child.signalCode ?? `exit ${child.exitCode}`})`
        : "was not ready after 60 s"
      await end("SIGKILL", 0)
      throw new Error(`${what} ${fate}. The end of ${log}:\n${await tail(log)}`)
    }
    await sleep(20)
  }
  return { pid, end }
}

/**
 * A shell that reads from a pipe which only we hold open. When we end without having stopped the server, by
 * kill -9 too, the kernel closes the pipe and the shell ends the server: no process stays behind, on any POSIX
 * system. It runs under the server's account, so it can signal nothing else of ours.
 */
async function watch({
  pid,
  signal,
  account,
  ended,
}: {
  pid: number
  signal: NodeJS.Signals
  account: Account | undefined
  ended: Promise<void>
}) {
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
  // The process id may belong to somebody else from here on.
  void ended.then(() => watcher.kill("SIGKILL"))
}

async function tail(log: string) {
  const text = await readFile(log, "utf8").catch(() => "")
  return text.trimEnd().split("\n").slice(-15).join("\n")
}
