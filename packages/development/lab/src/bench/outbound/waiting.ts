import { randomUUID } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import type { RetryRecord } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import { bytesRead, memoryMb } from "../../shared/processUsage.ts"
import { judge, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"

const waiting = 1_000_000
const batch = 10_000

/** Measures the memory of a dispatcher while deliveries wait in a retry topic, relative to an idle one. */
export async function measureWaiting(it: Bench): Promise<Measure[]> {
  const idle = await settled("idle", 0)
  await publishWaiting(it)
  // The first fetch of each partition of the retry topic returns about 49 KiB. So 40,000 bytes for each mean
  // that all partitions were fetched.
  const loaded = await settled(`${waiting} waiting`, idle.read + 6 * 40_000)
  const name = `resident memory of the dispatcher, ${waiting} deliveries waiting, MB`
  return [judge(name, loaded.now, idle.now, "ratio-at-most", 1.3)]

  /** Measures a new process each time, because an old one would reuse memory. */
  async function settled(what: string, readAtLeast: number) {
    const { pid, end } = await it.start("dispatcher")
    await sleep(10_000)
    await waitUntil("the dispatcher to fetch what waits", () => bytesRead(pid) >= readAtLeast)
    const [{ now, peak }, read] = [memoryMb(pid), bytesRead(pid)]
    const kib = (read / 1_024).toFixed(0)
    it.progress(`${what}: ${now.toFixed(1)} MB now, ${peak.toFixed(1)} MB at most; read ${kib} KiB`)
    await end()
    return { now, read }
  }
}

async function publishWaiting(it: Bench): Promise<void> {
  const topic = it.names.retry.at(-1) ?? ""
  const since = new Date().toISOString()
  for (let from = 0; from < waiting; from += batch) {
    const records = Array.from({ length: batch }, () => {
      const delivery = randomUUID()
      const value: RetryRecord = { delivery, attempt: 5, failures: 4, since, correlation: randomUUID() }
      return { topic, key: delivery, value: JSON.stringify(value) }
    })
    await it.publish(records)
    if ((from + batch) % 250_000 === 0) it.progress(`${from + batch} of ${waiting} wait in ${topic}`)
  }
}
