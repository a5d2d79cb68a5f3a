import type { Pool, Sql } from "@sitewire/database"
import type { RetryStatement } from "@sitewire/runtime"
import type { Check } from "./check.ts"
import { claimChecks } from "./claimChecks.ts"

export type CheckEnd = { state: "done"; report: object } | { state: "failed"; error: string }

const stillClaimed =
  "receiver_check.id = $1 and receiver_check.claims = $2 and receiver_check.state = 'running'"

const save = `
update receiver_check set report = $3, lease_expires_at = now() + $4 * interval '1 millisecond'
  from channel where ${stillClaimed} and channel.id = channel_id
returning channel.secret_id, channel.other_secret_id`

/** Stores the points so far, and extends the lease. "lost": another process has claimed the check. */
async function saveProgress(
  sql: Sql,
  { id, claim, channel }: Check,
  { report, leaseMs }: { report: object; leaseMs: number },
): Promise<"saved" | "lost" | "secrets-changed"> {
  const [row] = await sql(save, [id, claim, JSON.stringify(report), leaseMs], "save-check")
  if (!row) return "lost"
  const unchanged =
    row.secret_id === channel.secret.id && row.other_secret_id === (channel.otherSecret?.id ?? null)
  return unchanged ? "saved" : "secrets-changed"
}

// A certification of another address, such as a test system's, says nothing about the channel's receiver.
const finish = `
with finished as (
  update receiver_check set state = $3::receiver_check_state, report = coalesce($4, report), error = $5, finished_at = now()
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
  await sql(finish, [id, claim, end.state, report, end.state === "failed" ? end.error : null], "finish-check")
}

/** For a process that stops: another one claims the check at once. The claim does not count. */
async function releaseCheck(sql: Sql, { id, claim }: Check): Promise<void> {
  await sql(
    `update receiver_check set state = 'waiting', claims = claims - 1, lease_expires_at = null, report = null where ${stillClaimed}`,
    [id, claim],
    "release-check",
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
