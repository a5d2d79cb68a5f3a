import { deliveryOutcomeSchema } from "@sitewire/contracts"
import { groupLag, topicEnd } from "@sitewire/kafka"
import { type ChaosLab, groups } from "../run.ts"
import type { AttemptRow, Deferral, DeliveryRow, Evidence } from "./evidence.ts"

type It = Pick<ChaosLab, "sql" | "kafka" | "names" | "readTopic">

/** Adds database triggers that record each deferral, because a row of `waiting_delivery` has only the newest one, and ends. */
export async function recordDeferrals({ sql }: Pick<It, "sql">): Promise<void> {
  await sql("create table chaos_deferral (delivery uuid, reason text, at timestamptz)")
  await sql(
    `create function chaos_record_deferral() returns trigger language plpgsql as $$
     begin
       insert into chaos_deferral values (new.delivery_id, new.deferred_reason::text, new.deferred_at);
       return null;
     end $$`,
  )
  const changed = "new.deferred_at is not null and new.deferred_at is distinct from old.deferred_at"
  for (const [event, when] of [
    ["update", changed],
    ["insert", "new.deferred_at is not null"],
  ])
    await sql(
      `create trigger chaos_deferred_by_${event} after ${event} on waiting_delivery
         for each row when (${when}) execute function chaos_record_deferral()`,
    )
}

export async function isQuiet(it: It, published: number, retry: string[]): Promise<boolean> {
  const { sql, names, kafka } = it
  const [row] = await sql<{ stored: number; unfinished: number }>(
    `select count(*)::int as stored,
       count(*) filter (where state = 'pending' or delivery_id is not null)::int
         + (select count(*)::int from ended_delivery) as unfinished
     from delivery left join waiting_delivery on delivery_id = id`,
  )
  if (row?.unfinished !== 0 || row.stored < published) return false
  if ((await readJobs({ sql })).some(({ state }) => state !== "done")) return false
  const lags = [
    await groupLag(kafka, groups.paid, [names.sitePaid]),
    await groupLag(kafka, groups.retries, retry),
  ]
  return lags.flat().every(({ lag }) => lag <= 0)
}

/** No dispatcher may run meanwhile, because it would commit more records. */
export async function readEvidence(it: It, retry: string[]) {
  const { sql, names, readTopic } = it
  const deliveries = await sql<DeliveryRow>(
    `select id as delivery, event_id as event, state::text, delivery.attempts, encode(body_sha256, 'hex') as sha256,
       deferred_at is not null as deferred, next_attempt_at is not null as scheduled
     from delivery left join waiting_delivery on delivery_id = id`,
  )
  const attempts = await sql<AttemptRow>(
    `select delivery_id as delivery, number, (extract(epoch from started_at) * 1000)::float8 as at,
       error is null as delivered
     from attempt`,
  )
  const deferrals = await sql<Deferral>(
    "select delivery, reason, (extract(epoch from at) * 1000)::float8 as at from chaos_deferral order by at",
  )
  const uncommittedKeys = {
    events: await readUncommittedKeys(it, groups.paid, [names.sitePaid]),
    deliveries: await readUncommittedKeys(it, groups.retries, retry),
  }
  const ended = await readTopic(names.outcome)
  const outcomes = ended.map(({ value }) => deliveryOutcomeSchema.parse(JSON.parse(String(value))))
  return { deliveries, attempts, deferrals, outcomes, jobs: await readJobs({ sql }), uncommittedKeys }
}

function readJobs({ sql }: Pick<It, "sql">): Promise<Evidence["jobs"]> {
  return sql<Evidence["jobs"][number]>(
    `select id as job, state::text, coalesce((counts ->> 'resent')::int, 0) as resent from job
      where kind = 'resend' and filter ->> 'delivery' is null`,
  )
}

async function readUncommittedKeys({ kafka, readTopic }: It, group: string, topics: readonly string[]) {
  const keys: string[] = []
  for (const topic of topics) {
    const to = await topicEnd({ kafka, topic })
    const lags = await groupLag(kafka, group, [topic])
    const reached = lags.map(({ partition: at, lag }) => [at, `${BigInt(to[at] ?? 0) - BigInt(lag)}`])
    const records = await readTopic(topic, Object.fromEntries(reached))
    keys.push(...records.flatMap(({ key }) => key ?? []))
  }
  return keys
}
