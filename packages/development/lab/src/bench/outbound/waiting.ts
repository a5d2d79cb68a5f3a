import { randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { setTimeout as sleep } from "node:timers/promises"
import type { RetryRecord } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { memoryMb } from "../machine/processUsage.ts"
import { judge, type Measure } from "../measure/measure.ts"

const waiting = 1_000_000
const batch = 10_000
const settleMs = 10_000

export async function measureWaiting(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const idle = await settled(0)
  progress(`idle: ${idle.now.toFixed(1)} MB now, ${idle.peak.toFixed(1)} MB at most`)
  await publishWaiting(it, progress)
  // The first fetch of each partition of the retry topic returns about 49 KiB. So 40,000 bytes for each mean
  // that all partitions were fetched.
  const partitions = 6
  const loaded = await settled(idle.bytesRead + partitions * 40_000)
  const read = ((loaded.bytesRead - idle.bytesRead) / 1_024).toFixed(0)
  progress(
    `${waiting} waiting: ${loaded.now.toFixed(1)} MB now, ${loaded.peak.toFixed(1)} MB at most; read ${read} KiB more`,
  )
  return [
    judge(`resident memory of the dispatcher, ${waiting} deliveries waiting, MB`, loaded.now, idle.now, {
      kind: "ratio-at-most",
      bound: 1.3,
    }),
  ]

  /** Measures a new process each time, because an old one would reuse memory. */
  async function settled(readAtLeast: number) {
    const dispatcher = await it.start("dispatcher")
    await sleep(settleMs)
    await waitUntil("the dispatcher to fetch what waits", () => bytesRead(dispatcher.pid) >= readAtLeast)
    const seen = { ...memoryMb(dispatcher.pid), bytesRead: bytesRead(dispatcher.pid) }
    await dispatcher.end()
    return seen
  }
}

async function publishWaiting(it: Installation, progress: (line: string) => void): Promise<void> {
  const topic = it.names.retry.at(-1) ?? ""
  const since = new Date().toISOString()
  for (let from = 0; from < waiting; from += batch) {
    const records = Array.from({ length: batch }, () => {
      const delivery = randomUUID()
      const value: RetryRecord = { delivery, attempt: 5, failures: 4, since, correlation: randomUUID() }
      return { topic, key: delivery, value: JSON.stringify(value) }
    })
    await it.publish(records)
    if ((from + batch) % 250_000 === 0) progress(`${from + batch} of ${waiting} wait in ${topic}`)
  }
}

/** Bytes read from files and sockets. Fetched records count even if they are not due. Linux only. */
function bytesRead(pid: number): number {
  return Number(/rchar: (\d+)/.exec(readFileSync(`/proc/${pid}/io`, "utf8"))?.[1] ?? Number.NaN)
}
