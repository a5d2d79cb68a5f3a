import { percentile } from "../../shared/percentile.ts"
import { atMost, judge, type Measure } from "../measure.ts"
import type { Bench } from "../startBench.ts"
import { countCost, describeCost, divide } from "./cost.ts"
import { publishPaced, startReceiving } from "./load.ts"

export const latenessRetryDelaysMs = [5_000, 7_000]
const partners = 1_000

/**
 * Measures how long after its due time a retry arrives, of one delivery each of partners that fail at once. It is due when its delay has passed since the broker
 * appended its record to the retry topic.
 */
export async function measureLateness(it: Bench): Promise<Measure[]> {
  const receiver = await startReceiving(it)
  const channels = await it.channels(partners, (at) => `${receiver.url}/fail-${at}`)
  const counting = countCost(it, await it.start("dispatcher"))
  await publishPaced(it, { perSecond: 500, amount: partners, channels })
  const attempts = partners * (1 + latenessRetryDelaysMs.length)
  await receiver.reached(attempts)
  it.progress(`${attempts} attempts that failed: ${describeCost(divide(counting(), attempts))} for each`)
  const { failArrivals } = await receiver.take()
  const dueAt = await readDueTimes(it)
  const retries = failArrivals.filter(({ attempt }) => attempt > 1)
  const lateness = retries.map(({ delivery, attempt, arrivedAt }) => {
    const due = dueAt.get(`${delivery} ${attempt}`)
    if (due === undefined) throw new Error(`attempt ${attempt} of ${delivery} came without a record of it`)
    return arrivedAt - due
  })
  const at = (share: number) => percentile(lateness, share)
  it.progress(
    `${lateness.length} retries: ${at(0)} ms late at least, p50 ${at(0.5)}, p99 ${at(0.99)}, at most ${at(1)} ms`,
  )
  return [
    atMost("lateness of retries, p99, ms", at(0.99), 1_000, "ms"),
    judge("lateness of retries, least (below 0: early), ms", at(0), null, "value-at-least", 0, "ms"),
  ]
}

async function readDueTimes({ readTopic, names }: Bench): Promise<Map<string, number>> {
  const dueAt = new Map<string, number>()
  for (const [step, topic] of names.retry.entries()) {
    for (const { value, appendedAt } of await readTopic(topic)) {
      const { delivery, attempt } = JSON.parse(String(value))
      dueAt.set(`${delivery} ${attempt}`, appendedAt + (latenessRetryDelaysMs[step] ?? Number.NaN))
    }
  }
  return dueAt
}
