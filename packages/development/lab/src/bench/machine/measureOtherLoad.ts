import { readFileSync } from "node:fs"
import { cpuMs } from "./processUsage.ts"

/**
 * The returned function reports which share of the machine's CPU time others have used since: all processes
 * but this one and its descendants, and other virtual machines of the host.
 */
export function measureOtherLoad(): () => number {
  const before = { ...machineMs(), own: cpuMs(process.pid) }
  return () => {
    const after = { ...machineMs(), own: cpuMs(process.pid) }
    const others = after.busy - before.busy - (after.own - before.own)
    return Math.max(0, others / (after.total - before.total))
  }
}

/** CPU time of all processors since the boot, in milliseconds. Linux only. */
function machineMs(): { busy: number; total: number } {
  const [, ...ticks] = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "").split(/\s+/).map(Number)
  // The fields are user, nice, system, idle, iowait, irq, softirq and steal, in ticks of 10 ms.
  const total = ticks.slice(0, 8).reduce((sum, of) => sum + of, 0) * 10
  const idle = ((ticks[3] ?? 0) + (ticks[4] ?? 0)) * 10
  return { busy: total - idle, total }
}
