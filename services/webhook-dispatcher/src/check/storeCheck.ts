import { named, type Pool, type Sql } from "@sitewire/database"
import type { RetryStatement } from "@sitewire/runtime"
import type { Check } from "./check.ts"
import { claimChecks } from "./claimChecks.ts"

export type CheckEnd = { state: "done"; report: object } | { state: "failed"; error: string }

const stillClaimed =
  "receiver_check.id = $id and receiver_check.claims = $claim and receiver_check.state = 'running'"

const save = `
update receiver_check set report = $report, lease_expires_at = now() + $leaseMs * interval '1 millisecond'
  from channel where ${stillClaimed} and channel.id = channel_id
returning channel.secret_id, channel.other_secret_id`

/** Stores the points so far, and extends the lease. "lost": another process has claimed the check. */
async function saveProgress(
  sql: Sql,
  { id, claim, channel }: Check,
  { report, leaseMs }: { report: object; leaseMs: number },
): Promise<"saved" | "lost" | "secrets-changed"> {
  const [row] = await sql(...named(save, { id, claim, report: JSON.stringify(report), leaseMs }))
  if (!row) return "lost"
  const unchanged =
    row.secret_id === channel.secret.id && row.other_secret_id === (channel.otherSecret?.id ?? null)
  return unchanged ? "saved" : "secrets-changed"
}

// A certification of another address, such as a test system's, says nothing about the channel's receiver.
const finish = `
with finished as (
  update receiver_check set state = $state::receiver_check_state, report = coalesce($report, report), error = $error, finished_at = now()
   where ${stillClaimed}
  returning id, channel_id, kind, state, address, report, finished_at
)
update channel
   set last_certification = jsonb_build_object('id', finished.id, 'address', finished.address,
         'result', finished.report ->> 'result', 'finished_at', finished.finished_at)
  from finished
 where channel.id = finished.channel_id and channel.address = finished.address
   and kind = 'certification' and state = 'done'`

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
      `update receiver_check set state = 'waiting', claims = claims - 1, lease_expires_at = null, report = null where ${stillClaimed}`,
      { id, claim },
    ),
  )
}

/** Findings are stored again while Postgres is unavailable. A claim is not, because the next poll repeats it. */
export function createCheckStore({
  pool: { sql },
  retry,
}: {
  pool: Pick<Pool, "sql">
  retry: RetryStatement
}) {
  return {
    claim: (limits: Parameters<typeof claimChecks>[1]) => claimChecks(sql, limits),
    save: (check: Check, progress: Parameters<typeof saveProgress>[2]) =>
      retry("save a check", () => saveProgress(sql, check, progress)),
    finish: (check: Check, end: CheckEnd) => retry("finish a check", () => finishCheck(sql, check, end)),
    release: (check: Check) => releaseCheck(sql, check),
  }
}

export type CheckStore = ReturnType<typeof createCheckStore>
