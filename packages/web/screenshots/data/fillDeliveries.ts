import {
  lowestDeliveryId,
  referenceDigest,
  searchKeys,
  sha256,
  siteDigest,
  siteReadyBody,
} from "@sitewire/contracts"
import type { Installation } from "@sitewire/testkit/installation"
import { longId } from "./fillChannels.ts"
import { createRandom } from "./random.ts"

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 86_400_000
const retryPeriodMs = 6 * hourMs
const retryDelaysMs = [minuteMs, 5 * minuteMs, 15 * minuteMs, 60 * minuteMs]

const names = [
  "Bakery Lindqvist",
  "Müller & Söhne Gartenbau",
  "مخبز الياسمين للحلويات الشرقية",
  "北京茶馆",
  "The Extraordinarily Long-Named Society for the Preservation of Regional Cheese Varieties",
  "מאפיית השכונה",
  "O'Brien Plumbing",
]

/** `load`: deliveries of a day. */
const partners = [
  { channel: "acme", load: 2_600, latencyMs: 84, failing: 0.004 },
  { channel: "northwind", load: 900, latencyMs: 3_600, failing: 0.06 },
  { channel: "globex", load: 900, latencyMs: 190, failing: 0.01, failsSinceMs: 52 * minuteMs },
  { channel: "initech", load: 240, latencyMs: 120, failing: 0.002, pausedSinceMs: 120 * minuteMs },
  { channel: longId, load: 60, latencyMs: 260, failing: 0.02 },
]

type Attempt = { at: number; ms: number; error: string | null; status: number | null }
type Delivery = {
  id: string
  at: number
  channel: string
  body: Buffer
  eventId: string
  reference: string
  site: string
  attempts: Attempt[]
  state: string
  nextAt: number | null
  deferred: [number, string] | null
  finishedAt: number | null
}

export async function fillDeliveries(it: Installation, now: number): Promise<void> {
  const random = createRandom(23)
  const deliveries: Delivery[] = []
  let number = 40_000
  for (const partner of partners)
    for (let index = 0; index < partner.load; index++) {
      // More during the day than at night, as the orders of people are.
      const at = now - 30_000 - dayMs * random() ** 1.15
      const busy = 0.6 + 0.4 * Math.sin((at / dayMs) * 2 * Math.PI - 1.2)
      if (random() < busy + 0.15) deliveries.push(deliver(partner, at, now, number++, random))
    }
  deliveries.sort((a, b) => a.at - b.at)
  for (let start = 0; start < deliveries.length; start += 1_000)
    await insert(it, deliveries.slice(start, start + 1_000))
}

function deliver(
  partner: (typeof partners)[number],
  at: number,
  now: number,
  number: number,
  random: () => number,
): Delivery {
  const { channel, latencyMs } = partner
  const hex = (length: number) =>
    Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("")
  const id = `${lowestDeliveryId(at).slice(0, 14)}7${hex(3)}-8${hex(3)}-${hex(12)}`
  const site = `https://site-${number}.sites.example`
  const reference = `user-${4_000 + (number % 3_000)}`
  const eventId = `evt_2026_${String(number).padStart(6, "0")}`
  const body = siteReadyBody({
    id: eventId,
    channel,
    reference,
    site_url: site,
    console_url: `${site}/console`,
    name: names[number % names.length] ?? "",
    email: `owner-${number}@example.org`,
    created_at: new Date(at).toISOString(),
  } as Parameters<typeof siteReadyBody>[0])
  const base = { id, at, channel, body, eventId, reference, site }
  const ended = { nextAt: null, deferred: null }
  if (partner.pausedSinceMs && at > now - partner.pausedSinceMs)
    return {
      ...base,
      attempts: [],
      state: "pending",
      nextAt: null,
      deferred: [at, "paused"],
      finishedAt: null,
    }

  // During an outage in the night, nothing was accepted for longer than the retry period.
  const lost = channel === "globex" && at > now - 9 * hourMs && at < now - 8 * hourMs
  const attempts: Attempt[] = []
  let due = at + 40
  for (let index = 0; due < now; index++) {
    if (lost && due > at + retryPeriodMs)
      return { ...base, attempts, state: "dead", ...ended, finishedAt: at + retryPeriodMs }
    const down = lost || (partner.failsSinceMs !== undefined && due > now - partner.failsSinceMs)
    const failed = down || random() < partner.failing
    const slow = Math.exp((random() + random() + random() - 1.5) * 1.4)
    const timeout = failed && !down && random() < 0.5
    const ms = timeout ? 10_000 : Math.min(9_800, latencyMs * slow)
    attempts.push({
      at: due,
      ms,
      error: failed ? (timeout ? "timeout" : "status") : null,
      status: failed ? (timeout ? null : down ? 503 : 500) : 204,
    })
    if (!failed) return { ...base, attempts, state: "delivered", ...ended, finishedAt: due + ms }
    due += ms + (retryDelaysMs[Math.min(index, 3)] ?? 0)
  }
  const breaker = channel === "globex" && random() < 0.6
  return {
    ...base,
    attempts,
    state: "pending",
    nextAt: breaker ? null : due,
    deferred: breaker ? [now - 40 * minuteMs * random(), "breaker"] : null,
    finishedAt: null,
  }
}

async function insert(it: Installation, rows: readonly Delivery[]): Promise<void> {
  const keyOf = (digest: Buffer, at: number) => searchKeys(digest, { fromMs: at, toMs: at })[0]
  const last = (row: Delivery) => row.attempts.findLast(({ error }) => error !== null)
  const time = (ms: number | null | undefined) => (ms == null ? null : new Date(ms))
  const column = <Value>(read: (row: Delivery) => Value) => rows.map(read)
  await it.sql(
    `insert into delivery (id, event_id, channel_id, body, body_sha256, state, attempts, correlation, created_at,
       stored_at, finished_at, last_error, last_status, reference_key, site_key)
     select id, event, channel, body, digest, state::delivery_state, attempts, 'screenshots', created, created, finished,
            error, status, reference, site
       from unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::bytea[], $6::text[], $7::int[],
         $8::timestamptz[], $9::timestamptz[], $10::text[], $11::int[], $12::bytea[], $13::bytea[])
       as row (id, event, channel, body, digest, state, attempts, created, finished, error, status, reference, site)`,
    [
      column(({ id }) => id),
      column(({ eventId }) => eventId),
      column(({ channel }) => channel),
      column(({ body }) => body),
      column(({ body }) => sha256(body)),
      column(({ state }) => state),
      column(({ attempts }) => attempts.length),
      column(({ at }) => time(at)),
      column(({ finishedAt }) => time(finishedAt)),
      column((row) => last(row)?.error ?? null),
      column((row) => last(row)?.status ?? null),
      column(({ reference, at }) => keyOf(referenceDigest(reference), at)),
      column(({ site, at }) => keyOf(siteDigest(site), at)),
    ],
  )
  const waiting = rows.filter(({ state }) => state === "pending")
  await it.sql(
    `insert into waiting_delivery (delivery_id, channel_id, attempts, failures, next_attempt_at, deferred_at, deferred_reason)
     select id, channel_id, attempts, attempts, next, deferred, reason::deferral_reason
       from unnest($1::uuid[], $2::timestamptz[], $3::timestamptz[], $4::text[]) as row (waiting, next, deferred, reason)
       join delivery on delivery.id = waiting`,
    [
      waiting.map(({ id }) => id),
      waiting.map(({ nextAt }) => time(nextAt)),
      waiting.map(({ deferred }) => time(deferred?.[0])),
      waiting.map(({ deferred }) => deferred?.[1] ?? null),
    ],
  )
  const attempts = rows.flatMap((row) =>
    row.attempts.map((attempt, index) => ({ ...attempt, row, number: index + 1 })),
  )
  type Sent = (typeof attempts)[number]
  const field = <Value>(read: (attempt: Sent) => Value) => attempts.map(read)
  const phase = (share: number, least: number) => (attempt: Sent) =>
    Math.max(least, Math.min(attempt.ms, 400) * share)
  await it.sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, lookup_ms, connect_ms, tls_ms, first_byte_ms,
       ip, status, error, detail, secret_id, response_excerpt, url, request_headers)
     select * from unnest($1::uuid[], $2::int[], $3::timestamptz[], $4::float8[], $5::float8[], $6::float8[],
       $7::float8[], $8::float8[], $9::text[], $10::int[], $11::text[], $12::text[], $13::text[], $14::bytea[],
       $15::text[], $16::text[])`,
    [
      field(({ row }) => row.id),
      field(({ number }) => number),
      field(({ at }) => time(at)),
      field(({ ms }) => ms),
      field(phase(0.06, 0.4)),
      field(phase(0.14, 0.9)),
      field(phase(0.22, 1.6)),
      field((attempt) => (attempt.error === "timeout" ? null : attempt.ms * 0.58)),
      field(() => "203.0.113.24"),
      field(({ status }) => status),
      field(({ error }) => error),
      field(({ error }) => (error === "timeout" ? "no response within 10 s" : null)),
      field(({ row }) => `sec_${row.channel}`),
      field(({ status }) => excerptOf(status)),
      field(({ row }) => `https://${row.channel}.example/webhooks/sitewire`),
      field(({ row, number }) => headersOf(row, number)),
    ],
  )
}

function excerptOf(status: number | null): Buffer | null {
  if (status === 503)
    return Buffer.from("<html><head><title>503 Service Temporarily Unavailable</title></head></html>")
  return status === 500 ? Buffer.from('{"error":"database connection lost","trace":"9f31c2"}') : null
}

function headersOf({ id, body }: Delivery, number: number): string {
  return [
    "content-type: application/json",
    `content-length: ${body.length}`,
    "user-agent: Sitewire/0.1.0",
    "X-Sitewire-Signature: sha256=1f0c3a9b…",
    `X-Sitewire-Delivery: ${id}`,
    `X-Sitewire-Attempt: ${number}`,
  ].join("\n")
}
