import type { OperatorProblem, ProblemKind } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { countDead, type DeadOfChannel, readAllDead } from "../api/channels/deadDeliveries.ts"
import { dispatcherIsRunning, failingChannels } from "../api/channels/failingChannels.ts"
import { describeSyncError } from "../api/connections/describeSyncError.ts"

export type Found = { subject_id: string; since: Date; details: OperatorProblem["details"] }

type Description = {
  subject: OperatorProblem["subject"]["kind"]
  /** Finds the problems of this kind that exist now. `findInKafka` finds the others. */
  find: ((sql: Sql) => Promise<Found[]>) | "in Kafka"
  /** Which of the details is the number whose maximum is stored. */
  counted?: string
  summary: (subject: string, details: Found["details"]) => string
  resolved: (subject: string) => string
  nextStep: (subject: string) => string
}

/** SQL for `subject_id`, `since` and `details`. */
const found = (statement: string) => (sql: Sql) => sql<Found>(statement)

const deadWithin = "1 hour"
/** Of the deaths of the last hour, so many are counted, from the newest on. */
const mostDeaths = 100_000
const connectionFailsFor = "15 minutes"
/** So many failing connections are read, in the order of their ids. */
const mostFailing = 1_000_000
const certificateExpiresWithin = "14 days"
const rotationTakes = "7 days"
/** Of the overdue attempts, so many are read, from the oldest on. */
const mostOverdue = 1_000

/** Of a channel's deferred deliveries, so many are counted. A channel can have millions, and is read every ten seconds. */
const mostDeferred = 100_000

/** What is wrong, for operators. No text contains an address, a URL, or personal data. */
export const problemKinds: Record<ProblemKind, Description> = {
  "channel.failing": {
    subject: "channel",
    find: found(`
      select failing.channel_id as subject_id,
             coalesce(breaker.opened_at, deferred.since, now()) as since,
             jsonb_build_object('breakers_open', breaker.open, 'deferred', deferred.count) as details
        from (${failingChannels}) as failing
       cross join lateral (
         select count(*)::int as open, min(breaker_opened_at) as opened_at
           from channel_status join dispatcher on dispatcher.id = dispatcher_id
          where channel_id = failing.channel_id and breaker_opened_at is not null and ${dispatcherIsRunning}) as breaker
       cross join lateral (
         select count(*)::int as count, min(deferred_at) as since
           from (select deferred_at from waiting_delivery
                  where channel_id = failing.channel_id and deferred_at is not null
                  order by deferred_at limit ${mostDeferred}) as oldest) as deferred`),
    counted: "deferred",
    summary: (channel) => `Deliveries to the channel ${channel} fail.`,
    resolved: (channel) => `Deliveries to the channel ${channel} have not failed for five minutes.`,
    nextStep: (channel) => `sitewire channel health ${channel}`,
  },
  "delivery.dead": {
    subject: "channel",
    find: findDead,
    counted: "deliveries",
    summary: (channel) =>
      `Deliveries to the channel ${channel} are dead: their last attempt failed, or the channel was deleted.`,
    resolved: (channel) =>
      `No delivery of the last 7 days to the channel ${channel} is dead any more, and none has died for an hour.`,
    nextStep: (channel) => `sitewire delivery list --channel ${channel} --state dead`,
  },
  // By host, because the outage of a host can affect thousands of connections.
  "connection.failing": {
    subject: "source",
    find: findFailingSources,
    counted: "connections",
    summary(host, { connection, last_reason }) {
      const what = `Connections whose source is on ${host} have had no successful sync for 15 minutes or longer.`
      return last_reason ? `${what} The last sync of ${connection}: ${last_reason}.` : what
    },
    resolved: (host) => `No connection whose source is on ${host} has failed for 15 minutes any more.`,
    nextStep: () => "sitewire connection list --state failing",
  },
  "certificate.expiring": {
    subject: "channel",
    find: found(`
      select channel.id as subject_id, expires_at - interval '${certificateExpiresWithin}' as since,
             jsonb_build_object('expires_at', to_char(expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')) as details
        from receiver_certificate
        join channel on substring(address from '^https://[^/?#]+') = origin
       where expires_at < now() + interval '${certificateExpiresWithin}'`),
    summary: (channel) =>
      `The certificate of the server of the channel ${channel} expires within 14 days, or has expired. After that, no delivery succeeds.`,
    resolved: (channel) =>
      `The server of the channel ${channel} has a new certificate, or the channel has another address.`,
    nextStep: (channel) => `sitewire channel show ${channel}`,
  },
  "rotation.unfinished": {
    subject: "channel",
    find: found(`
      select id as subject_id, other_secret_since as since, jsonb_build_object('state', other_secret_state::text) as details
        from channel
       where other_secret_id is not null and other_secret_since < now() - interval '${rotationTakes}'`),
    summary: (channel) =>
      `The rotation of the signing secret of the channel ${channel} has not been finished for 7 days: two secrets exist.`,
    resolved: (channel) =>
      `The rotation of the signing secret of the channel ${channel} has been continued or finished.`,
    nextStep: (channel) => `sitewire channel show ${channel}`,
  },
  "channel.paused": {
    subject: "channel",
    find: found(
      "select id as subject_id, paused_at as since, '{}'::jsonb as details from channel where paused_at is not null",
    ),
    summary: (channel) => `The channel ${channel} is paused. Its deliveries are stored and wait.`,
    resolved: (channel) => `The channel ${channel} was resumed or deleted.`,
    nextStep: (channel) => `sitewire channel resume ${channel}`,
  },
  "delivery.overdue": {
    subject: "installation",
    find: found(`
      select 'deliveries' as subject_id, min(next_attempt_at) as since,
             jsonb_build_object('attempts', count(*)) as details
        from (select next_attempt_at from waiting_delivery
               where next_attempt_at < now() - interval '1 minute'
               order by next_attempt_at limit ${mostOverdue}) as overdue
      having count(*) > 0`),
    counted: "attempts",
    summary: () => "Attempts are overdue: no dispatcher makes them.",
    resolved: () => "No attempt is overdue.",
    nextStep: () => "sitewire topic list",
  },
  "event.invalid": {
    subject: "topic",
    find: "in Kafka",
    counted: "events",
    summary: (topic) => `Publishers sent invalid events in the last 24 hours. They are in ${topic}.`,
    resolved: () => "No event of the last 24 hours was invalid.",
    nextStep: () => "sitewire event list",
  },
  "topic.behind": {
    subject: "topic",
    find: "in Kafka",
    counted: "records",
    summary: (topic, { partition, first_offset: offset }) =>
      offset
        ? `A publisher's transaction is open in partition ${partition} of ${topic} from offset ${offset} on, so consumers are behind by more than a minute.`
        : `The consumers of ${topic} are behind by more than a minute.`,
    resolved: (topic) => `The consumers of ${topic} are no longer behind.`,
    nextStep: () => "sitewire topic list",
  },
  "topic.missing": {
    subject: "topic",
    find: "in Kafka",
    summary: (topic) => `The topic ${topic} does not exist. The setup job creates it.`,
    resolved: (topic) => `The topic ${topic} exists.`,
    nextStep: () => "sitewire topic list",
  },
}

/** Of the connections of a host, one is the example. */
async function findFailingSources(sql: Sql): Promise<Found[]> {
  const hosts = await sql<{
    subject_id: string
    since: Date
    connections: number
    connection: string
    last_error: string | null
    last_status: number | null
  }>(`
    select source_host as subject_id, since, connections, connection, last_error, last_status
      from (select source_host, min(failing_since) as since, count(*)::int as connections, min(id) as connection
              from (select connection_id, failing_since from sync_window
                     where failing_since < now() - interval '${connectionFailsFor}'
                     order by connection_id limit ${mostFailing}) as failing
              join connection on connection.id = connection_id
             group by source_host) as host
      join sync_window on connection_id = connection
     order by source_host`)
  return hosts.map(({ subject_id, since, last_error, last_status, ...details }) => {
    const last_reason = describeSyncError(last_error, last_status)?.reason ?? null
    return { subject_id, since, details: { ...details, last_reason } }
  })
}

/** Channels with deliveries that died within an hour, or that are still dead: nothing more happens until they are resent. */
async function findDead(sql: Sql): Promise<Found[]> {
  const found = new Map<string, DeadOfChannel>()
  const recent = await sql<DeadOfChannel>(`
    select channel_id as id, count(*)::int as count, min(ended_at) as since
      from (select channel_id, ended_at from ended_delivery
             where state = 'dead' and ended_at > now() - interval '${deadWithin}'
             order by ended_at desc limit ${mostDeaths}) as newest
     group by channel_id`)
  for (const one of [...recent, ...(await readAllDead(sql))]) {
    const other = found.get(one.id) ?? one
    const since = other.since < one.since ? other.since : one.since
    found.set(one.id, { id: one.id, count: Math.max(one.count, other.count), since })
  }
  for (const one of await readStillDead(sql, [...found.keys()])) found.set(one.id, one)
  return [...found.values()].map(({ id, count, since }) => ({
    subject_id: id,
    since,
    details: { deliveries: count },
  }))
}

/** The channels of open problems whose dead deliveries are older than those of others, of which only the newest were read. */
async function readStillDead(sql: Sql, found: readonly string[]): Promise<DeadOfChannel[]> {
  const open = await sql<{ id: string; since: Date }>(
    `select channel.id, since from operator_problem join channel on channel.id = subject_id
      where kind = 'delivery.dead' and resolved_at is null and subject_id <> all ($1)`,
    [found],
  )
  const counts = await countDead(
    sql,
    open.map(({ id }) => id),
  )
  return open.flatMap((one, index) => {
    const count = counts[index]?.count ?? 0
    return count > 0 ? [{ ...one, count }] : []
  })
}
