import { claimableMs } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { type Channel, type ChannelRow, channelColumns, toChannel } from "@sitewire/deliveries"

/** A test delivery or a challenge to a new address that this process has claimed. */
export type Check = {
  id: string
  kind: "test" | "secret_test" | "address_change"
  /** How often the check was claimed. A process with an earlier claim must not write any more. */
  claim: number
  /** With the address of the check instead of its own, and with request headers only if they were given for its origin. */
  channel: Channel
}

type Row = ChannelRow & {
  id: string
  kind: Check["kind"]
  state: string
  claims: number
  check_address: string
}

/** A check that was claimed this often, and never finished, may be what ends the processes. */
const maxClaims = 3

const statement = `
with due as (
  select id, case when claims >= ${maxClaims}
                    then 'It was started ${maxClaims} times, and the dispatchers ended before it did. Read their logs.'
                  when claims = 0 and created_at < now() - ${claimableMs} * interval '1 millisecond'
                    then 'No webhook-dispatcher claimed it in time. Start one, and request it again.' end as problem
    from receiver_check
   where finished_at is null and (lease_expires_at is null or lease_expires_at < now())
   order by created_at limit $1 for update skip locked
)
update receiver_check
   set state = (case when problem is null then 'running' else 'failed' end)::receiver_check_state, error = problem,
       finished_at = case when problem is not null then now() end, claims = claims + 1,
       lease_expires_at = now() + $2 * interval '1 millisecond'
  from due, channel
 where receiver_check.id = due.id and channel.id = receiver_check.channel_id
returning receiver_check.id, kind::text, state::text, claims, receiver_check.address as check_address, channel.id as channel_id,
          ${channelColumns.replace("address", "channel.address")}`

/** Claims checks with a lease: if this process is killed, another one repeats them. */
export async function claimChecks(
  sql: Sql,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<Check[]> {
  const rows = await sql<Row>(statement, [limit, leaseMs], "claim-checks")
  return rows.filter(({ state }) => state === "running").map(toCheck)
}

function toCheck(row: Row): Check {
  return { id: row.id, kind: row.kind, claim: row.claims, channel: channelOf(row) }
}

function channelOf(row: Row): Check["channel"] {
  const channel = toChannel(row)
  const isOwnOrigin = URL.parse(channel.address)?.origin === URL.parse(row.check_address)?.origin
  return {
    ...channel,
    address: row.check_address,
    requestHeadersSealed: isOwnOrigin ? channel.requestHeadersSealed : null,
  }
}
