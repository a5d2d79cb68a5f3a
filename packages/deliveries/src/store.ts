import type { KeyObject } from "node:crypto"
import { type DeferralReason, searchDigestBytes } from "@sitewire/contracts"
import {
  type Columns,
  columnValues,
  defineStatement,
  keyedDigest,
  type Sql,
  unnestColumns,
} from "@sitewire/database"
import { type AttemptRecord, attemptColumns, attemptEnd, madeColumns, recordFailures } from "./attempt.ts"
import type { NewDelivery } from "./delivery.ts"
import { insertEnded } from "./ended.ts"
import type { ErasureList, Erasures } from "./lookUp.ts"
import { recordAttempts } from "./record.ts"
import { unreachableUntilNow } from "./unreachable.ts"

type Deferral = {
  reason: DeferralReason
  /** How much of the retry period is over. Null: it has not started. */
  elapsedMs: number | null
}

export type FirstOutcome = { delivery: NewDelivery } & (
  | { attempt: AttemptRecord; deferral: null }
  | { attempt: null; deferral: Deferral }
)

const columns: Columns<FirstOutcome> = {
  id: ["uuid", ({ delivery }) => delivery.id],
  event_id: ["text", ({ delivery }) => delivery.eventId],
  channel_id: ["text", ({ delivery }) => delivery.channelId],
  body_bytes: ["int", ({ delivery }) => delivery.body.length],
  correlation: ["text", ({ delivery }) => delivery.correlation],
  traceparent: ["text", ({ delivery }) => delivery.traceparent],
  created_at_ms: ["float8", ({ delivery }) => delivery.appendedAt],
  deferred_reason: ["word", ({ deferral }) => deferral?.reason ?? null],
  // Of the deferral. An attempt that schedules a retry has its own.
  deferred_elapsed_ms: ["float8", ({ deferral }) => deferral?.elapsedMs ?? null],
  ...Object.fromEntries(
    Object.entries(madeColumns).map(
      ([name, [type, of]]) => [name, [type, ({ attempt }: FirstOutcome) => attempt && of(attempt)]] as const,
    ),
  ),
}
const computedColumns = { body_start: ["int"], email_digest: ["text"], erased: ["boolean"] } as const

export type StoreSettings = {
  /** Null stores no digests of e-mail addresses, so that erasures read the bodies. */
  digestKey: KeyObject | null
  publishOutcomes: boolean
}

/** The part of a value that consists of equally long parts, one for each row. */
const part = (parameter: string, bytes: number, each = 1, at = 0) =>
  `substring($${parameter}::bytea from ${bytes} * (${each} * (position::int - 1) + ${at}) + 1 for ${bytes})`
const searchKey = (digest: 0 | 1) =>
  `substring(uuid_send(id) from 1 for 3) || ${part("digests", searchDigestBytes, 2, digest)}`

// All bodies are sent as one value, which the statement splits, and all hashes as another: the driver sends a
// single `bytea` in binary, but an array of them as hexadecimal text.
//
// In the order of the event ids, so that two processes that store the same events do not wait for each other.
//
// Postgres rejects a pending delivery without a row of waiting_delivery, because its state would be null.
const insertDeliveries = defineStatement<{ is_current: boolean; known: string[] }>(
  "store-deliveries",
  `
with list as materialized (
  select erasure_version_for_storing() = $erasures::uuid as is_current
), incoming as (
  select t.*, delay_ms is not null or deferred_reason is not null as waits,
         substring($bodies::bytea from body_start for body_bytes) as body, ${part("hashes", 32)} as body_sha256,
         ${searchKey(0)} as reference_key, ${searchKey(1)} as site_key,
         to_timestamp(started_at_ms / 1000) as started_at
    from ${unnestColumns({ ...columns, ...computedColumns }, "t", "position")} join list on is_current
), fresh as (
  insert into known_event (event_id, delivery_id) select event_id, id from incoming order by event_id
  on conflict do nothing
  returning delivery_id as id
), stored as (
  insert into delivery (
    id, event_id, channel_id, correlation, traceparent, created_at, state, attempts, last_error, last_status,
    body, body_sha256, reference_key, site_key, email_digest, finished_at)
  select id, event_id, channel_id, correlation, traceparent, to_timestamp(created_at_ms / 1000),
         (case when erased then 'erased' when waits then 'pending' else nullif(state, 'pending') end)::delivery_state,
         case when started_at is null then 0 else 1 end, error, case when error is not null then status end,
         case when erased then '' else body end, case when erased then '' else body_sha256 end,
         case when not erased then reference_key end, case when not erased then site_key end,
         case when not erased then decode(email_digest, 'hex') end,
         case when erased or state in ('delivered', 'dead') then now() end
    from incoming join fresh using (id)
  on conflict do nothing
  returning id
), new as materialized (
  select incoming.* from incoming join stored using (id)
), waiting as (
  insert into waiting_delivery (
    delivery_id, channel_id, attempts, next_attempt_at, deferred_at, deferred_reason, failures, period_started_at,
    unreachable_ms)
  select id, channel_id, case when started_at is null then 0 else 1 end,
         now() + delay_ms * interval '1 millisecond', case when deferred_reason is not null then now() end,
         deferred_reason::deferral_reason, coalesce(failures, 0),
         now() - coalesce(elapsed_ms, deferred_elapsed_ms) * interval '1 millisecond',
         case when deferred_reason is not null then ${unreachableUntilNow("new.channel_id")} end
    from new where not erased and waits
), ${insertEnded(`
  select id, event_id, channel_id, (case when erased then 'erased' else state end)::delivery_state,
         case when started_at is null then 0 else 1 end, now() - elapsed_ms * interval '1 millisecond', error, status, correlation,
         attempt_traceparent
    from new where not erased and state = 'dead' or $publish_outcomes::boolean and (erased or state = 'delivered')`)}, attempted as (
  insert into attempt (delivery_id, ${attemptColumns}, response_excerpt, request_headers)
  select id, ${attemptColumns}, case when not erased then response_excerpt end, case when not erased then request_headers end
    from new where started_at is not null
), ${recordFailures(`select channel_id, started_at, ${attemptEnd} as ended_at, error, status, detail, state = 'dead' as is_dead
    from new where started_at is not null`)}
select is_current, array(
         select event_id from incoming where not exists (select from stored where stored.id = incoming.id)) as known
  from list`,
)

/** `storeDeliveries` by the newest list of erasures. */
export async function store(
  sql: Sql,
  erasures: ErasureList,
  batch: readonly FirstOutcome[],
  settings: StoreSettings,
): Promise<string[]> {
  for (let list = erasures.newest(); ; list = undefined) {
    const locked = await storeDeliveries(sql, batch, settings, list ?? (await erasures.read()))
    if (locked) return locked
  }
}

/**
 * Stores new deliveries, each with its first attempt or its deferral. Event ids must be unique within the batch. A delivery that
 * `erasures` covers is stored as erased, without its body. Null: there is another list of erasures now, so nothing was stored.
 *
 * Another process may have stored an event, because one that was suspended or lost its partitions continues with its records. The
 * attempt is then recorded as a repetition. Returns the deliveries whose repetitions were not recorded, because their rows are locked.
 */
export async function storeDeliveries(
  sql: Sql,
  batch: readonly FirstOutcome[],
  settings: StoreSettings,
  erasures: Erasures,
): Promise<string[] | null> {
  const { digestKey, publishOutcomes } = settings
  const starts: number[] = []
  let next = 1
  for (const { delivery } of batch) {
    starts.push(next)
    next += delivery.body.length
  }
  const digestOf = (emailSha256: string | null) =>
    digestKey && emailSha256 ? keyedDigest(digestKey, emailSha256).toString("hex") : "null"
  const deliveries = batch.map(({ delivery }) => delivery)
  const [stored] = await insertDeliveries(sql, {
    ...columnValues(columns, batch),
    erasures: erasures.version,
    publish_outcomes: publishOutcomes,
    bodies: Buffer.concat(deliveries.map(({ body }) => body)),
    hashes: Buffer.concat(deliveries.map(({ bodySha256 }) => bodySha256)),
    digests: Buffer.concat(deliveries.map(({ searchDigests }) => searchDigests)),
    body_start: `{${starts}}`,
    email_digest: `{${deliveries.map(({ emailSha256 }) => digestOf(emailSha256))}}`,
    erased: `{${deliveries.map(({ body, appendedAt }) => erasures.covers(body, appendedAt))}}`,
  })
  if (!stored?.is_current) return null
  return stored.known.length === 0 ? [] : recordRepetitions(sql, batch, stored.known, settings)
}

async function recordRepetitions(
  sql: Sql,
  batch: readonly FirstOutcome[],
  events: string[],
  settings: StoreSettings,
): Promise<string[]> {
  const rows = await sql<{ delivery_id: string; event_id: string }>(
    "select event_id, delivery_id from known_event where event_id = any($1::text[])",
    [events],
  )
  const ids = new Map(rows.map(({ delivery_id, event_id }) => [event_id, delivery_id]))
  const repetitions = batch.flatMap(({ delivery, attempt }) => {
    const delivery_id = ids.get(delivery.eventId)
    return attempt && delivery_id !== undefined ? [{ ...attempt, delivery_id }] : []
  })
  const locked = repetitions.length > 0 ? await recordAttempts(sql, repetitions, settings) : []
  return batch.flatMap(({ delivery }) =>
    locked.includes(ids.get(delivery.eventId) ?? "") ? [delivery.id] : [],
  )
}
