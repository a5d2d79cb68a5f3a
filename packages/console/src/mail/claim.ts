import type { Sql } from "@sitewire/database"
import type { Mail } from "./openMailer.ts"

/** A recipient that no other console writes to now. */
export type Claim = {
  /** How often it was claimed since the last e-mail that was sent or given up. */
  attempts: number
  mail: Mail
  /** Records that the recipient has been told, in one statement. */
  settle(): Promise<void>
}

/** With the delays of `claimed`, the last one is after about five hours. */
export const mostAttempts = 10

/**
 * SQL that claims a row of `mail_recipient`. The claim is a lease too: it ends after two minutes, and later with each further
 * attempt. So a console that is killed, or that cannot record an e-mail, repeats it later, and seldom.
 */
export const claimed =
  "attempts = attempts + 1, next_at = now() + least(power(2, attempts + 1), 60) * interval '1 minute'"

export const settled = "attempts = 0, next_at = now() + interval '1 hour'"

/** Due at once: a second ago, because the column has whole milliseconds, and rounding could make it later than now. */
export async function addRecipients(sql: Sql, ids: readonly string[]): Promise<void> {
  await sql(
    "insert into mail_recipient (id, next_at) select unnest($1::text[]), now() - interval '1 second' on conflict do nothing",
    [ids],
  )
}
