import type { ChannelHealth } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { errorClass } from "../deliveries/deliveryResponse.ts"
import { maskEmails } from "../deliveries/maskEmails.ts"

/** Their attempts may be newer than the newest minute that was counted. */
const newestDeliveries = 500
/** So many of each delivery are read: resends can make thousands. */
const newestAttempts = 10

type LastAttempt = Pick<Prisma.AttemptModel, "delivery_id" | "status" | "error" | "detail"> & {
  started_ms: number
}

type Row = {
  success: LastAttempt | null
  failure: LastAttempt | null
  responses: (Pick<LastAttempt, "status" | "error"> & { attempts: number })[]
}

const counted = (column: string) => `(
  select ${column} from statistic
   where channel_id = $1 and started_at >= date_trunc('minute', $2::timestamptz) and ${column} is not null
   order by started_at desc limit 1)`

const last = (condition: string) => `(
  select jsonb_build_object('delivery_id', delivery_id, 'started_ms', extract(epoch from started_at) * 1000,
                            'status', status, 'error', error, 'detail', detail)
    from own where ${condition} order by started_at desc limit 1)`

// The minutes, which are stored for 7 days, name the deliveries. So nothing is searched among all attempts.
const statement = `
with newest as (
  select id, stored_at from delivery where channel_id = $1 order by channel_id desc, id desc limit ${newestDeliveries}
),
candidate as (
  select id from newest where stored_at >= $2
  union ${counted("last_success")} union ${counted("last_failure")}
),
own as materialized (
  select attempt.* from candidate cross join lateral (
    select delivery_id, started_at, status, error, detail from attempt
     where delivery_id = candidate.id order by number desc, started_at desc limit ${newestAttempts}
  ) as attempt
)
select ${last("error is null")} as success,
       ${last("error is not null and started_at > now() - interval '1 day'")} as failure,
       array(select jsonb_build_object('status', status, 'error', error, 'attempts', count(*)) from own
              where started_at > now() - interval '1 day' group by status, error order by count(*) desc) as responses`

/** `since`: when the channel was created. One with the id of a deleted one may belong to another partner. */
export async function readLastAttempts(
  sql: Sql,
  channel: string,
  since: Date,
): Promise<Pick<ChannelHealth, "responses" | "last_success" | "last_failure">> {
  const [row] = await sql<Row>(statement, [channel, since])
  const { success = null, failure = null, responses = [] } = row ?? {}
  return {
    responses: responses.map(({ error, ...row }) => ({
      ...row,
      error: error === null ? null : errorClass(error),
    })),
    last_success: success && lastAttempt(success),
    last_failure: failure && {
      ...lastAttempt(failure),
      error: errorClass(failure.error ?? ""),
      detail: failure.detail === null ? null : maskEmails(failure.detail),
    },
  }
}

function lastAttempt({ delivery_id, started_ms, status }: LastAttempt) {
  return { delivery: delivery_id, at: new Date(started_ms).toISOString(), status }
}
