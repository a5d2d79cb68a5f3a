import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"

/** The arguments of a running process joined by spaces; undefined for one that is gone or only a zombie. */
export function commandLine(pid: number): string | undefined {
  const line =
    process.platform === "linux" ? readProc(pid, "cmdline")?.replaceAll("\0", " ") : ps(pid, "command")
  return line?.trim() || undefined
}

/**
 * Tells a process from a later one with the same id. On Linux in clock ticks since boot, qualified by the boot,
 * so that a file from before a reboot matches nothing.
 */
export function processStartTime(pid: number): string | undefined {
  if (process.platform !== "linux") return ps(pid, "lstart")
  const stat = readProc(pid, "stat")
  // Field 2 is the program's name in parentheses and may hold spaces and parentheses itself.
  const ticks = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  return ticks && `${ticks}@${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`
}

/** Process ids are used again: a process is ours only while one of its arguments is a path that only we use. */
export function runsWith(pid: number, argument: string): boolean {
  const line = commandLine(pid)
  return line !== undefined && ` ${line} `.includes(` ${argument} `)
}

/** Ends a process that is not our child, and waits until it is gone. Does nothing unless it runs with `argument`. */
export async function endStray(pid: number, argument: string, signal: NodeJS.Signals, deadlineMs: number) {
  const gone = async (withinMs: number) => {
    for (const until = Date.now() + withinMs; Date.now() < until; await sleep(25)) {
      if (!runsWith(pid, argument)) return true
    }
    return false
  }
  if (!runsWith(pid, argument)) return
  signalIfThere(pid, signal)
  if (await gone(deadlineMs)) return
  signalIfThere(pid, "SIGKILL")
  if (await gone(5_000)) return
  throw new Error(`process ${pid} (${argument}) did not end after SIGKILL; end it and start again`)
}

export function signalIfThere(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ESRCH") throw error
  }
}

function readProc(pid: number, file: string) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8")
  } catch {
    return undefined
  }
}

function ps(pid: number, column: string) {
  try {
    return execFileSync("ps", ["-ww", "-o", `${column}=`, "-p", String(pid)], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim()
  } catch {
    return undefined
  }
}
