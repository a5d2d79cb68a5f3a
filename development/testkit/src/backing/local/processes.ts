import { execFileSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import { endWithinMs } from "../../deadlines.ts"

/**
 * Distinguishes a process from a later one with the same id. On Linux: the start in clock ticks since boot,
 * and the boot's id. Undefined if the process has ended.
 */
export function processStartTime(pid: number): string | undefined {
  if (process.platform !== "linux") return ps(pid, "lstart")
  const stat = readProc(pid, "stat")
  // Field 2 is the program's name in parentheses, and may itself contain spaces and parentheses.
  const ticks = stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19]
  return ticks && `${ticks}@${readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim()}`
}

/** Ends a process that another process started. Afterwards, a later process may have its id. */
export async function endStray(pid: number, startTime: string, signal: NodeJS.Signals) {
  for (const how of [signal, "SIGKILL"] as const) {
    signalIfRunning(pid, how)
    for (const until = Date.now() + endWithinMs; Date.now() < until; await sleep(25))
      if (processStartTime(pid) !== startTime) return
  }
  throw new Error(`process ${pid} did not end after SIGKILL; end it and start again`)
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
