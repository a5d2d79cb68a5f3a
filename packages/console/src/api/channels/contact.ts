import { type Channel, type CreateChannel, subjectOf } from "@sitewire/contracts"
import { named, readDigestKey, storedSubject } from "@sitewire/database"
import type { Caller } from "../../auth/caller.ts"
import { invalidField } from "../../http/problems.ts"
import type { Problem } from "../../http/response.ts"
import type { ApiContext } from "../implement.ts"
import type { ChannelRow } from "./channelResponse.ts"

/** A problem if the contact could be stored, but nobody would write to it. */
export function rejectContact(
  { sendsMail }: Pick<ApiContext, "sendsMail">,
  { contact }: Pick<CreateChannel, "contact">,
): Problem | null {
  if (sendsMail || contact === undefined || contact === null) return null
  const message =
    "contact: no e-mail is sent, because SMTP_URL of the console is not set. Ask the operator to set it, or omit the contact"
  return invalidField("body", "contact", message)
}

/** Within the transaction of the request. Another address has been told nothing yet. */
export async function storeContact(
  { sql, sealingKeys }: Pick<ApiContext, "sql" | "sealingKeys">,
  channel: string,
  contact: string | null,
): Promise<void> {
  if (contact === null) {
    await sql("delete from channel_contact where channel_id = $1", [channel])
    return
  }
  // As of the e-mail addresses in deliveries, so that an erasure finds it.
  const subject = storedSubject(await readDigestKey(sql, sealingKeys), subjectOf({ email: contact }))
  const [digest] = Object.values(subject)
  await sql(
    ...named(
      `insert into channel_contact as known (channel_id, address, digest) values ($channel, $contact, $digest)
       on conflict (channel_id) do update
         set address = excluded.address, digest = excluded.digest, told_failing_at = null, told_dead_at = null
         where known.address <> excluded.address`,
      { channel, contact, digest },
    ),
  )
}

/**
 * The response with the whole contact, if the caller may see personal data. Only for responses that are not stored for a
 * repeated Idempotency-Key, because these would outlive an erasure.
 */
export function withWholeContact(channel: Channel, row: ChannelRow, { scopes }: Caller): Channel {
  const isAllowed = scopes.includes("personal-data") || scopes.includes(`channel:${row.id}`)
  return isAllowed ? { ...channel, contact: row.contact?.address ?? null } : channel
}

/** For the audit log, which is never erased. */
export const auditedContact = ({ contact }: Pick<Channel, "contact">) => contact && "an e-mail address"
