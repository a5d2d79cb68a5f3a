import type { Prisma } from "@sitewire/database/prisma"
import type { Traceparent } from "@sitewire/runtime"

const columns = [
  ...(["address", "secret_id", "secret_sealed", "other_secret_id", "other_secret_sealed"] as const),
  ...(["standard_webhooks", "request_headers_sealed", "send_traceparent"] as const),
  ...(["partner_may_change_address", "paused_at", "max_per_second"] as const),
] as const

/** Read again for each batch of attempts, so that a changed address or secret takes effect at once. */
export type Channel = { channel_id: string } & Pick<Prisma.ChannelModel, (typeof columns)[number]>

/** Select these columns and the channel's id as `channel_id` to get a `Channel`. */
export const channelColumns = columns.join(", ")

/** An event whose delivery is not stored yet. */
export type NewDelivery = {
  /** A function of the event's record (`deliveryIdOf`). */
  id: string
  eventId: string
  channelId: string
  body: Buffer
  bodySha256: Buffer
  /** Digests of the reference and of the site. */
  searchDigests: Buffer
  /** `onlyEmailDigest` of the event. */
  emailSha256: string | null
  correlation: string
  traceparent: Traceparent | null
  /** When the event's record was appended to its topic, in milliseconds since the epoch. */
  appendedAt: number
}

/** A delivery whose attempt is due: a new one, which is stored with the outcome, or a stored one, which was claimed. */
export type DueDelivery = {
  id: string
  eventId: string
  channel: Channel
  body: Buffer
  attempt: number
  /** Failed attempts of the retry period. */
  failures: number
  /**
   * Start of the retry period (`performance.now()`, which nobody can set), moved forward by time that does not count, such as a pause.
   */
  since: number
  correlation: string
  /** The trace context of the event. Null: its trace is not recorded. */
  traceparent: Traceparent | null
  previousAttempt?: Traceparent | null
} & ({ unstored: NewDelivery; claim: null } | { unstored: null; claim: Claim })

export type ClaimedDelivery = DueDelivery & { claim: Claim }

export type Claim = {
  /** Identifies the deferral that the attempt ends. Null: the delivery was scheduled. */
  deferredAt: Date | null
  /** Identifies the claim. */
  leaseExpiresAt: Date
  /** No attempt may start after this (`performance.now()`), because the lease might end before the attempt. */
  attemptBefore: number
  /** When the attempt may start (`performance.now()`): at its time by Postgres's clock, and by the channel's maximum rate. */
  startAt: number
}
