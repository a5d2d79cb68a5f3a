import { readdirSync, readFileSync } from "node:fs"

// All figures are those of Linux, in /proc, which counts CPU time in ticks of 10 ms.

/**
 * CPU time in milliseconds of a process and its descendants. Ended descendants count too: Postgres has a process for
 * each connection, which ends with the connection.
 */
export function cpuMs(pid: number): number {
  const processes = readdirSync("/proc").filter((name) => /^\d+$/.test(name))
  const stats = new Map(processes.map((name) => [Number(name), readStat(name)]))
  const children = Map.groupBy(stats.keys(), (of) => stats.get(of)?.parent)
  const sum = (of: number): number =>
    (stats.get(of)?.cpuMs ?? 0) + (children.get(of) ?? []).reduce((total, child) => total + sum(child), 0)
  return sum(pid)
}

function readStat(pid: string): { parent: number; cpuMs: number } | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The program's name, in parentheses, may contain spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    const ticks = fields.slice(11, 15).reduce((total, of) => total + Number(of), 0)
    return { parent: Number(fields[1]), cpuMs: 10 * ticks }
  } catch {
    return undefined
  }
}

export function memoryMb(pid: number): { peak: number; now: number } {
  const read = (name: string) =>
    readNumber(`/proc/${pid}/status`, new RegExp(`${name}:\\s+(\\d+) kB`)) / 1_024
  return { peak: read("VmHWM"), now: read("VmRSS") }
}

function readNumber(file: string, pattern: RegExp): number {
  return Number(pattern.exec(readFileSync(file, "utf8"))?.[1] ?? Number.NaN)
}

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

function machineMs(): { busy: number; total: number } {
  const [, ...ticks] = (readFileSync("/proc/stat", "utf8").split("\n")[0] ?? "").split(/\s+/).map(Number)
  // The fields are user, nice, system, idle, iowait, irq, softirq and steal.
  const total = 10 * ticks.slice(0, 8).reduce((sum, of) => sum + of, 0)
  return { busy: total - 10 * ((ticks[3] ?? 0) + (ticks[4] ?? 0)), total }
}
