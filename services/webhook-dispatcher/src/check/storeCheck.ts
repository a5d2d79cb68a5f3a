import { named, type Pool, type Sql } from "@sitewire/database"
import type { RetryStatement } from "@sitewire/runtime"
import { type Check, claimChecks } from "./claimChecks.ts"

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
async function finishCheck(sql: Sql, { id, claim }: Check, end: CheckEnd): Promise<void> {
  const report = end.state === "done" ? JSON.stringify(end.report) : null
  const error = end.state === "failed" ? end.error : null
  await sql(...named(finish, { id, claim, state: end.state, report, error }))
}

/** For a process that stops: another one claims the check at once. The claim does not count. */
async function releaseCheck(sql: Sql, { id, claim }: Check): Promise<void> {
  await sql(
    ...named(
      `update receiver_check set state = 'waiting', claims = claims - 1, lease_expires_at = null where ${stillClaimed}`,
      { id, claim },
    ),
  )
}

/** Reports are stored again while Postgres is unavailable. A claim is not, because the next poll repeats it. */
export function createCheckStore({
  pool: { sql },
  retry,
}: {
  pool: Pick<Pool, "sql">
  retry: RetryStatement
}) {
  return {
    claim: (limits: Parameters<typeof claimChecks>[1]) => claimChecks(sql, limits),
    finish: (check: Check, end: CheckEnd) => retry("finish a check", () => finishCheck(sql, check, end)),
    release: (check: Check) => releaseCheck(sql, check),
  }
}

export type CheckStore = ReturnType<typeof createCheckStore>
