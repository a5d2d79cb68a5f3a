import { claimableMs } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import { type Channel, channelColumns } from "@sitewire/deliveries"

/** A test delivery or a challenge to a new address that this process has claimed. */
export type Check = {
  id: string
  kind: "test" | "secret_test" | "address_change"
  /** How often the check was claimed. A process with an earlier claim must not write any more. */
  claim: number
  /** With the address of the check instead of its own, and with request headers only if they were given for its origin. */
  channel: Channel
}

type Row = (Channel | { channel_id: null }) & {
  id: string
  kind: Check["kind"]
  state: string
  claims: number
  check_address: string
}

/** A check that was claimed this often, and never finished, may be what ends the processes. */
const maxClaims = 3

const claim = `
with due as (
  select id, channel_id as of, case when claims >= ${maxClaims}
                    then 'It was begun ${maxClaims} times, and ended by none.'
                  when claims = 0 and created_at < now() - ${claimableMs} * interval '1 millisecond'
                    then 'It was not begun in time. Request it again.' end as problem
    from receiver_check
   where finished_at is null and (lease_expires_at is null or lease_expires_at < now())
   order by created_at limit $1 for update skip locked
)
update receiver_check
   set state = (case when problem is null then 'running' else 'failed' end)::receiver_check_state, error = problem,
       finished_at = case when problem is not null then now() end, claims = claims + 1,
       lease_expires_at = now() + $2 * interval '1 millisecond'
  from due left join channel on channel.id = due.of
 where receiver_check.id = due.id
returning receiver_check.id, kind::text, state::text, claims, receiver_check.address as check_address, channel.id as channel_id,
          ${channelColumns.replace("address", "channel.address")}`

type SealNew = (of: { channel_id: string; secret_id: string }) => Buffer<ArrayBuffer>

/**
 * Claims checks with a lease: if this process is killed, another one repeats them. `sealNew` makes up the secret of a channel
 * that is not created yet.
 */
export async function claimChecks(
  sql: Sql,
  { limit, leaseMs, sealNew }: { limit: number; leaseMs: number; sealNew: SealNew },
): Promise<Check[]> {
  const rows = await sql<Row>(claim, [limit, leaseMs], "claim-checks")
  return rows.filter(({ state }) => state === "running").map((row) => toCheck(row, sealNew))
}

function toCheck(row: Row, sealNew: SealNew): Check {
  const { id, kind, claims, check_address: address, ...channel } = row
  if (channel.channel_id === null) {
    const of = { channel_id: notCreated.channel_id, secret_id: id }
    return { id, kind, claim: claims, channel: { ...notCreated, ...of, secret_sealed: sealNew(of), address } }
  }
  const isOwnOrigin = URL.parse(channel.address)?.origin === URL.parse(address)?.origin
  const request_headers_sealed = isOwnOrigin ? channel.request_headers_sealed : null
  return { id, kind, claim: claims, channel: { ...channel, address, request_headers_sealed } }
}

const notCreated: Omit<Channel, "address" | "secret_id" | "secret_sealed"> = {
  channel_id: "new",
  other_secret_id: null,
  other_secret_sealed: null,
  standard_webhooks: true,
  request_headers_sealed: null,
  send_traceparent: false,
  partner_may_change_address: false,
  paused_at: null,
  max_per_second: null,
}

export type CheckEnd = { state: "done"; report: object } | { state: "failed"; error: string }

const stillClaimed =
  "receiver_check.id = $id and receiver_check.claims = $claim and receiver_check.state = 'running'"

// A check of another address, such as a test system's, says nothing about the channel's receiver. A passed test ends its failing.
const finish = `
with finished as (
  update receiver_check set state = $state::receiver_check_state, report = $report, error = $error, finished_at = now()
   where ${stillClaimed}
  returning channel_id, kind, state, address, report -> 'attempt' as attempt, created_at
), recovered as (
  update channel_failure set ended_at = now()
    from finished join channel on channel.id = channel_id and channel.address = finished.address
   where channel_failure.channel_id = finished.channel_id and ended_at is null and kind = 'test' and state = 'done'
     and attempt ->> 'error' is null
)
update channel
   set other_secret_test = jsonb_build_object('at', finished.created_at, 'address', finished.address,
         'secret_id', attempt -> 'secret_id', 'status', attempt -> 'status', 'error', attempt -> 'error')
  from finished
 where channel.id = finished.channel_id and kind = 'secret_test' and state = 'done'`

/** Does nothing if another process has claimed the check. */
export async function finishCheck(sql: Sql, { id, claim }: Check, end: CheckEnd): Promise<void> {
  const report = end.state === "done" ? JSON.stringify(end.report) : null
  const error = end.state === "failed" ? end.error : null
  await sql(...named(finish, { id, claim, state: end.state, report, error }))
}

/** For a process that stops: another one claims the check at once. The claim does not count. */
export async function releaseCheck(sql: Sql, { id, claim }: Check): Promise<void> {
  await sql(
    ...named(
      `update receiver_check set state = 'waiting', claims = claims - 1, lease_expires_at = null where ${stillClaimed}`,
      { id, claim },
    ),
  )
}
