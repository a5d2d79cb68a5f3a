import { claimableMs } from "@sitewire/contracts"
import { defineStatement, type Sql } from "@sitewire/database"
import { type ChannelRow, channelColumns, toChannel } from "@sitewire/deliveries"
import type { Check } from "./check.ts"

type Row = ChannelRow & {
  id: string
  kind: Check["kind"]
  state: string
  claims: number
  check_address: string
  other_secret_state: Check["otherSecretState"]
  test_body: Buffer | null
  test_signature: string | null
}

type Limits = { tests: number; certifications: number; leaseMs: number }

/** A check that was claimed this often, and never finished, may be what ends the processes. */
const maxClaims = 3

const due = (kinds: string, limit: string) => `
  select id from receiver_check
   where finished_at is null and kind ${kinds} and (lease_expires_at is null or lease_expires_at < now())
   order by created_at limit ${limit} for update skip locked`

const claimable = Object.entries(claimableMs).map(([kind, ms]) => `when '${kind}' then ${ms}`)

const statement = defineStatement<Limits, Row>(
  "claim-checks",
  `
with tests as (${due("<> 'certification'", "$tests")}), certifications as (${due("= 'certification'", "$certifications")}), due as (
  select id, case when claims >= ${maxClaims}
                    then 'It was started ${maxClaims} times, and the dispatchers ended before it did. Read their logs.'
                  when claims = 0 and created_at < now() - (case kind ${claimable.join(" ")} end) * interval '1 millisecond'
                    then 'No webhook-dispatcher claimed it in time. Start one, and request it again.' end as problem
    from receiver_check where id in (select id from tests union all select id from certifications)
)
update receiver_check
   set state = (case when problem is null then 'running' else 'failed' end)::receiver_check_state, error = problem,
       finished_at = case when problem is not null then now() end, claims = claims + 1, report = null,
       lease_expires_at = now() + $leaseMs * interval '1 millisecond'
  from due, channel left join lateral (
         select test_body, test_signature from retired_secret where retired_secret.channel_id = channel.id
       ) retired on true
 where receiver_check.id = due.id and channel.id = receiver_check.channel_id
returning receiver_check.id, kind::text, state::text, claims, receiver_check.address as check_address, channel.id as channel_id,
          other_secret_state::text, test_body, test_signature, ${channelColumns.replace("address", "channel.address")}`,
)

/** Claims checks with a lease: if this process is killed, another one runs them from the beginning. */
export async function claimChecks(sql: Sql, limits: Limits): Promise<Check[]> {
  const rows = await statement(sql, limits)
  return rows.filter(({ state }) => state === "running").map(toCheck)
}

function toCheck(row: Row): Check {
  const { id, kind, claims, test_body: body, test_signature: signature } = row
  return {
    id,
    kind,
    claim: claims,
    channel: channelOf(row),
    otherSecretState: row.other_secret_state,
    retired: body === null || signature === null ? null : { body, signature },
  }
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
