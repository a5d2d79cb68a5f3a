import type { Sql } from "@sitewire/database"

/** Those that no attempt of the schedule waits for: what they wait for is a resend. */
export const onlyResent = "delivery.state in ('delivered', 'dead')"

const mark = (next: "now()" | "null") => (sql: Sql, ids: readonly string[]) =>
  sql(
    `update delivery set next_attempt_at = ${next}
      where id = any($1::uuid[]) and ${onlyResent}`,
    [ids],
  )

/**
 * Says of deliveries that are about to be sent again that they wait for an attempt: operators see it, and retention does
 * not delete them meanwhile. Recording the attempt takes it back. Must come before the attempts are published.
 */
export const waitForResend = mark("now()")

/** Takes it back, where nothing was published. */
export const waitNoLonger = mark("null")
