import { readTopic, topicEnd } from "@sitewire/kafka"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure, percentile } from "../measure/measure.ts"
import { publishPaced } from "./load/publishPaced.ts"
import { startReceiving } from "./receiver/startBenchReceiver.ts"

export const latenessRetryDelaysMs = [5_000, 7_000]

const deliveries = 400
const perSecond = 50
/** So many that no channel has enough failures in a row to open its circuit breaker. */
const channelCount = 100

/**
 * Measures how long after its due time a retry arrives. It is due when its delay has passed since the broker
 * appended its record to the retry topic.
 */
export async function measureLateness(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(channelCount, (at) => `${receiver.url}/fail-${at}`)
  const dispatcher = await it.start("dispatcher")
  await publishPaced(it, { perSecond, amount: deliveries, channels })
  const attempts = deliveries * (1 + latenessRetryDelaysMs.length)
  await receiver.reached(attempts)
  const { failArrivals } = await receiver.take()
  await dispatcher.end()
  await receiver.end()

  const dueAt = await readDueTimes(it)
  const lateness: number[] = []
  for (const { delivery, attempt, arrivedAt } of failArrivals) {
    if (attempt === 1) continue
    const due = dueAt.get(`${delivery} ${attempt}`)
    if (due === undefined)
      throw new Error(`attempt ${attempt} of delivery ${delivery} came without a record of it`)
    lateness.push(arrivedAt - due)
  }
  const [least, p50, p99, most] = [0, 0.5, 0.99, 1].map((share) => percentile(lateness, share))
  progress(
    `${lateness.length} retries: ${least} ms late at least, p50 ${p50}, p99 ${p99}, at most ${most} ms`,
  )
  return [
    judge("lateness of retries, p99, ms", p99 ?? Number.NaN, null, {
      kind: "value-at-most",
      bound: 1_000,
      unit: "ms",
    }),
    judge("lateness of retries, least (below 0: early), ms", least ?? Number.NaN, null, {
      kind: "value-at-least",
      bound: 0,
      unit: "ms",
    }),
  ]
}

async function readDueTimes({ kafka, names }: Installation): Promise<Map<string, number>> {
  const dueAt = new Map<string, number>()
  for (const [step, topic] of names.retry.entries()) {
    const { records, ended } = await readTopic({
      kafka,
      topic,
      groupPrefix: "bench",
      from: {},
      to: await topicEnd({ kafka, topic }),
      maxRecords: deliveries * 10,
      maxBytes: 100_000_000,
    })
    if (!ended) throw new Error(`${topic} has more records than this measure's retries`)
    for (const { value, appendedAt } of records) {
      const { delivery, attempt } = JSON.parse(String(value))
      dueAt.set(`${delivery} ${attempt}`, appendedAt + (latenessRetryDelaysMs[step] ?? Number.NaN))
    }
  }
  return dueAt
}
