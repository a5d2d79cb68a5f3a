import { lowestDeliveryId } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { percentile } from "../../shared/percentile.ts"
import { createRandom } from "../../shared/random.ts"
import { atMost, type Measure } from "../measure.ts"
import { customers, days, fillDeliveries } from "../outbound/fillDeliveries.ts"
import type { Bench } from "../startBench.ts"

const times = 200
const warmUp = 20
const channelCount = 100
const dayMs = 86_400_000
const errors = ["timeout", "status", "connect", "tls"] as const

type Query = Record<string, string>

/** Measures how long the searches of the management API take for one client, among deliveries of 30 days. */
export async function measureSearches(it: Bench): Promise<Measure[]> {
  const count = it.retained ?? 1_000_000
  await it.channels(channelCount, () => "https://partner.example/hook")
  await fillDeliveries(it.databaseUrl, count, channelCount, it.progress)
  await letSomeFail(it)
  const console = await it.start("console", { API_REQUESTS_PER_MINUTE: "1000000" })
  const headers = { authorization: `Bearer ${await it.apiKey("read")}` }

  /** Returns how many deliveries the page has. */
  async function search(query: Query): Promise<number> {
    const response = await fetch(`${console.addresses.console}/v1/deliveries?${new URLSearchParams(query)}`, {
      headers,
    })
    const page = (await response.json()) as { data: unknown[] }
    if (!response.ok) throw new Error(`a search got ${response.status}: ${JSON.stringify(page)}`)
    return page.data.length
  }

  async function measure(name: string, queryOf: () => Query): Promise<Measure> {
    const ms: number[] = []
    let found = 0
    for (let at = -warmUp; at < times; at++) {
      const query = queryOf()
      const startedAt = performance.now()
      const length = await search(query)
      if (at < 0) continue
      ms.push(performance.now() - startedAt)
      found += length
    }
    if (found === 0) throw new Error(`no search by ${name} found a delivery`)
    const [p50 = 0, p99 = 0] = [0.5, 0.99].map((share) => percentile(ms, share))
    const details = `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms, ${(found / times).toFixed(1)} found each time`
    it.progress(`by ${name}: ${details}`)
    return { ...atMost(`search by ${name}, p99 of ${times}`, p99, 40, "ms"), details }
  }

  const measures: Measure[] = []
  for (const [name, queryOf] of Object.entries(await searches(it))) {
    measures.push(await measure(`${name}, first page`, queryOf))
    if (name !== "event id")
      measures.push(await measure(`${name}, a page in the middle`, () => inTheMiddle(queryOf())))
  }
  return measures
}

/** Each has other values every time. */
async function searches(it: Bench): Promise<Record<string, () => Query>> {
  const random = createRandom(1)
  const events = await it.sql<{ id: string }>("select event_id as id from known_event limit 10000")
  const channel = () => `bench-${random.between(0, channelCount - 1)}`
  const customer = () => random.between(0, customers - 1)
  return {
    channel: () => ({ channel: channel() }),
    "channel and state": () => ({ channel: channel(), state: "dead" }),
    reference: () => ({ reference: `customer-${customer()}` }),
    site: () => ({ site_url: `https://shop-${customer()}.sites.example` }),
    "event id": () => ({ event_id: random.pick(events).id }),
    error: () => ({ error: random.pick(errors) }),
    "what is waited for": () => ({ waiting_for: random.pick(["breaker", "retry"]) }),
    time: () => {
      const from = Date.now() - random.between(1, days) * dayMs
      const [created_after, created_before] = [from, from + dayMs / 2].map((ms) => new Date(ms).toISOString())
      return { created_after, created_before } as Query
    },
  }
}

/** The page that follows a delivery in the middle of the searched time. */
function inTheMiddle(query: Query): Query {
  const { created_after: from, created_before: to } = query
  const ms = from && to ? (Date.parse(from) + Date.parse(to)) / 2 : Date.now() - (days / 2) * dayMs
  // A valid UUID of version 7.
  const id = `${lowestDeliveryId(ms).slice(0, 14)}7000-8000-000000000000`
  return { ...query, cursor: Buffer.from(JSON.stringify(id)).toString("base64url") }
}

/** 2 % of the deliveries become dead, and 0.4 % wait: one half for a retry, the other for a circuit breaker. */
async function letSomeFail({ databaseUrl }: Bench): Promise<void> {
  const pool = openPool({ url: databaseUrl, size: 1, name: "bench-fill", statementTimeoutMs: 1_800_000 })
  /** The last bytes of ids are random. */
  const byte = (at: 14 | 15) => `get_byte(uuid_send(id), ${at})`
  await pool.sql(
    `update delivery set state = 'dead', last_error = ($1::text[])[1 + ${byte(15)} % 4] where ${byte(14)} < 5`,
    [errors],
  )
  await pool.sql(
    `with waits as (
       update delivery set state = 'pending', finished_at = null, last_error = 'timeout' where ${byte(14)} = 5
       returning id, channel_id, created_at, ${byte(15)} < 128 as retries
     )
     insert into waiting_delivery (delivery_id, channel_id, attempts, next_attempt_at, deferred_at, deferred_reason)
     select id, channel_id, 1, case when retries then now() + interval '1 hour' end,
            case when not retries then created_at end, case when not retries then 'breaker'::deferral_reason end
       from waits`,
  )
  await pool.sql("vacuum (analyze) delivery, waiting_delivery")
  await pool.sql("checkpoint")
  await pool.close()
}
