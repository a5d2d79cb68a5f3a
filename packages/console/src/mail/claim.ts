import { named, type Sql } from "@sitewire/database"
import type { Mail } from "./openMailer.ts"

/** A recipient that no other console writes to now. */
export type Claim = {
  /** How often it was claimed since the last e-mail that was sent or given up. */
  attempts: number
  mail: Mail
  /** Records that the recipient has been told, in one statement. */
  settle(): Promise<void>
}

/** With the delays of a claim, the last one is after about five hours. */
export const mostAttempts = 10

/** An e-mail, and the statement that records what it has told. */
type Prepared = { mail: Mail; told: string; values: Record<string, unknown> }

/**
 * Claims the one of these recipients that has waited longest. The claim is a lease too: it ends after two minutes, and later with each
 * further attempt. So a console that is killed, or that cannot record an e-mail, repeats it later, and seldom.
 */
export async function claimRecipient(
  sql: Sql,
  ids: readonly string[],
  prepare: (id: string) => Promise<Prepared | null>,
): Promise<Claim | null> {
  if (ids.length === 0) return null
  // Due at once: a second ago, because the column has whole milliseconds, and rounding could make it later than now.
  await sql(
    "insert into mail_recipient (id, next_at) select unnest($1::text[]), now() - interval '1 second' on conflict do nothing",
    [ids],
  )
  const [recipient] = await sql<{ id: string; attempts: number }>(
    `update mail_recipient
        set attempts = attempts + 1, next_at = now() + least(power(2, attempts + 1), 60) * interval '1 minute'
      where id = (select id from mail_recipient where id = any($1::text[]) and next_at <= now()
                   order by next_at limit 1 for update skip locked)
     returning id, attempts`,
    [ids],
  )
  const prepared = recipient && (await prepare(recipient.id))
  if (!prepared) return null
  const { id, attempts } = recipient
  const { mail, told, values } = prepared
  const settle = `with told as (${told})
    update mail_recipient set attempts = 0, next_at = now() + interval '1 hour' where id = $recipient`
  return {
    attempts,
    mail,
    settle: async () => void (await sql(...named(settle, { ...values, recipient: id }))),
  }
}
