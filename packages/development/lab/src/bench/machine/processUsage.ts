import { readdirSync, readFileSync } from "node:fs"

const ticksPerSecond = 100

/**
 * CPU time in milliseconds of a process and its descendants. Linux only. Ended descendants count too:
 * Postgres has a process for each connection, which ends with the connection.
 */
export function cpuMs(pid: number): number {
  const children = new Map<number, number[]>()
  const ticks = new Map<number, number>()
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const fields = readStat(name)
    if (!fields) continue
    const [, parent, user, system, endedUser, endedSystem] = fields
    ticks.set(Number(name), user + system + endedUser + endedSystem)
    children.set(parent, [...(children.get(parent) ?? []), Number(name)])
  }
  const sum = (of: number): number =>
    (ticks.get(of) ?? 0) + (children.get(of) ?? []).reduce((total, child) => total + sum(child), 0)
  return (sum(pid) * 1_000) / ticksPerSecond
}

type Stat = [
  state: string,
  parent: number,
  user: number,
  system: number,
  endedUser: number,
  endedSystem: number,
]

function readStat(pid: string): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The program's name, in parentheses, may contain spaces.
    const fields = text.slice(text.lastIndexOf(")") + 2).split(" ")
    const at = (index: number) => Number(fields[index])
    return [fields[0] ?? "", at(1), at(11), at(12), at(13), at(14)]
  } catch {
    return null
  }
}

export function memoryMb(pid: number): { peak: number; now: number } {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const read = (name: string) =>
    Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1] ?? Number.NaN) / 1_024
  return { peak: read("VmHWM"), now: read("VmRSS") }
}
