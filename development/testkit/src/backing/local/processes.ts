import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { endWithinMs } from "../../deadlines.ts"

/** Undefined if the process has ended. */
export function commandLine(pid: number): string | undefined {
  const line =
    process.platform === "linux" ? readProc(pid, "cmdline")?.replaceAll("\0", " ") : ps(pid, "command")
  return line?.trim() || undefined
}

/**
 * Distinguishes a process from a later one with the same id. On Linux: the start in clock ticks since boot,
 * and the boot's id.
 */
export function processStartTime(pid: number): string | undefined {
  if (process.platform !== "linux") return ps(pid, "lstart")
  const stat = readProc(pid, "stat")
  // Field 2 is the program's name in parentheses, and may itself contain spaces and parentheses.
  const ticks = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  return ticks && `${ticks}@${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`
}

/** Whether the process has this argument. If not, it is a later process with the same id. */
export function runsWith(pid: number, argument: string): boolean {
  const line = commandLine(pid)
  return line !== undefined && ` ${line} `.includes(` ${argument} `)
}

/** Ends a process that another process started, if it still runs with `argument`. */
export async function endStray(pid: number, argument: string, signal: NodeJS.Signals, deadlineMs: number) {
  const hasEnded = async (withinMs: number) => {
    for (const until = Date.now() + withinMs; Date.now() < until; await sleep(25)) {
      if (!runsWith(pid, argument)) return true
    }
    return false
  }
  if (!runsWith(pid, argument)) return
  signalIfRunning(pid, signal)
  if (await hasEnded(deadlineMs)) return
  signalIfRunning(pid, "SIGKILL")
  if (await hasEnded(endWithinMs)) return
  throw new Error(`process ${pid} (${argument}) did not end after SIGKILL; end it and start again`)
}

export function signalIfRunning(pid: number, signal: NodeJS.Signals) {
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
