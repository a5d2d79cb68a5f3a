import { describeFailure, describeRecovery } from "@sitewire/contracts/partnerMessage"
import { named, type Sql } from "@sitewire/database"
import { withoutQuery } from "../audit/withoutQuery.ts"
import { type ChannelOfHealth, readHealth } from "../channels/readHealth.ts"
import { attemptResponse, attemptsOf } from "../deliveries/deliveryResponse.ts"
import { maskedBody } from "../deliveries/maskEmails.ts"
import { type Claim, claimRecipient } from "./claim.ts"

/** So many channels are described, and so many more are named. */
const mostDescribed = 10
const mostNamed = 50
const mostTold = 10_000
const newestAttempts = 20

export type ContactMailContext = {
  sql: Sql
  retryPeriodMs: number
  /** How long a channel has failed when its contact is told. */
  afterMs: number
  origin: string | undefined
}

/**
 * What contacts were not told. Dead deliveries are told a minute after the first,
 * because they seldom come alone. A channel has recovered if its newest minute with attempts has one that succeeded: one for which
 * nothing waits any more does not fail either.
 */
const news = `
select channel_id, digest, 'failing' as state, null as dead
  from incident join channel_contact on channel_id = subject_id join channel on channel.id = channel_id
 where kind = 'channel.failing' and resolved_at is null and incident.created_at < now() - $after_ms * interval '1 millisecond'
   and told_failing_at is null and paused_at is null
union all
select channel_id, digest, 'dead', id
  from incident join channel_contact on channel_id = subject_id
 where kind = 'delivery.dead' and created_at > greatest(told_dead_at, now() - interval '1 day')
   and created_at < now() - interval '1 minute'
union all
select channel_id, digest, 'recovered', null
  from channel_contact
 where told_failing_at is not null
   and not exists (select from incident where kind = 'channel.failing' and subject_id = channel_id and closed_at is null)
   and (select last_success is not null from statistic
         where statistic.channel_id = channel_contact.channel_id and started_at > told_failing_at - interval '1 minute'
           and (last_success is not null or last_failure is not null)
         order by started_at desc limit 1)`

type News = { channel_id: string; state: "failing" | "dead" | "recovered"; dead: string | null }

/** The contact that has waited longest of those with news. */
export async function claimContact(context: ContactMailContext): Promise<Claim | null> {
  const { sql, afterMs } = context
  const waiting = await sql<{ digest: string }>(
    ...named(`select distinct digest from (${news}) as news limit ${mostTold}`, { after_ms: afterMs }),
  )
  return claimRecipient(
    sql,
    waiting.map(({ digest }) => digest),
    (digest) => prepareMail(context, digest),
  )
}

/** Null: another console has told the contact, or it was erased. */
async function prepareMail(context: ContactMailContext, digest: string) {
  const { sql, afterMs } = context
  const rows = await sql<News>(
    ...named(
      `select channel_id, state, dead from (${news}) as news where digest = $digest order by channel_id limit ${mostTold}`,
      { after_ms: afterMs, digest },
    ),
  )
  const [contact] = await sql<{ address: string }>(
    "select address from channel_contact where digest = $1 limit 1",
    [digest],
  )
  if (!contact || rows.length === 0) return null
  const of = (...states: News["state"][]) => rows.filter(({ state }) => states.includes(state))
  return {
    mail: { to: [contact.address], ...(await describe(context, of("failing", "dead"), of("recovered"))) },
    told: `
      update channel_contact
         set told_failing_at = case when channel_id = any($failing::text[]) then now()
                                    when not channel_id = any($recovered::text[]) then told_failing_at end,
             told_dead_at = greatest(told_dead_at,
               (select max(created_at) from incident where id = any($dead::text[]) and subject_id = channel_id))
       where digest = $recipient and channel_id = any($told::text[])`,
    values: {
      failing: of("failing").map(({ channel_id }) => channel_id),
      recovered: of("recovered").map(({ channel_id }) => channel_id),
      dead: of("dead").map(({ dead }) => dead),
      told: rows.map(({ channel_id }) => channel_id),
    },
  }
}

async function describe(context: ContactMailContext, failing: readonly News[], recovered: readonly News[]) {
  const recoveredIds = recovered.map(({ channel_id }) => channel_id)
  const isRecovered = new Set(recoveredIds)
  // Several rows can be about one channel.
  const failingIds = [...new Set(failing.map(({ channel_id }) => channel_id))].filter(
    (id) => !isRecovered.has(id),
  )
  const parts = [
    ...(await describeEach(context, failingIds, "failing")),
    ...(await describeEach(context, recoveredIds, "recovered")),
    "You get this e-mail because your address is the contact of these channels. What changes within an hour follows in one e-mail. To change the contact, use `sitewire channel update CHANNEL --contact ADDRESS`, the channel's settings in the web console, or ask us.",
  ]
  const [one, many] =
    failingIds.length > 0
      ? ["your endpoint does not accept deliveries", "of your channels do not accept deliveries"]
      : ["your endpoint accepts deliveries again", "of your channels accept deliveries again"]
  const count = failingIds.length || recoveredIds.length
  return { subject: `Webhooks: ${count === 1 ? one : `${count} ${many}`}`, text: parts.join("\n\n----\n\n") }
}

async function describeEach(
  context: ContactMailContext,
  ids: readonly string[],
  what: "failing" | "recovered",
): Promise<string[]> {
  const described: string[] = []
  for (const id of ids.slice(0, mostDescribed)) {
    const text = await describeChannel(context, id, what)
    if (text !== null) described.push(text)
  }
  const named = ids.slice(mostDescribed, mostDescribed + mostNamed)
  if (named.length === 0) return described
  const more = ids.length - mostDescribed - named.length
  const verb = what === "failing" ? "Also failing" : "Also working again"
  return [...described, `${verb}: ${named.join(", ")}${more > 0 ? `, and ${more} more` : ""}.`]
}

/** Null: it was deleted meanwhile. */
async function describeChannel(
  context: ContactMailContext,
  id: string,
  what: "failing" | "recovered",
): Promise<string | null> {
  const { sql, origin } = context
  const [row] = await sql<ChannelOfHealth & { address: string }>(
    "select id, address, paused_at, max_per_second, created_at from channel where id = $1",
    [id],
  )
  if (!row) return null
  const health = await readHealth(context, row)
  const channel = { id, address: withoutQuery(row.address) }
  const text =
    what === "failing"
      ? describeFailure({
          channel,
          health,
          example: await readExample(context, health.last_failure?.delivery),
        })
      : describeRecovery(channel, health)
  return origin === undefined ? text : `${text}\n\nDetails: ${origin}/channels/${id}`
}

/** As `GET /v1/deliveries/{id}` shows it: with e-mail addresses masked. */
async function readExample({ sql }: ContactMailContext, id: string | undefined) {
  if (id === undefined) return null
  const [row] = await sql<{ body: Buffer }>("select body from delivery where id = $1", [id])
  if (!row) return null
  const attempts = await attemptsOf(sql, id).read(undefined, newestAttempts)
  const attempt_log = attempts.map((attempt) => attemptResponse(attempt, withoutQuery)).toReversed()
  return { id, body: maskedBody(row.body), attempt_log }
}
