import type { Traceparent } from "@sitewire/runtime"

export type SealedSecret = { id: string; sealed: Buffer }

/** Read again for each batch of attempts, so that a changed address or secret takes effect at once. */
export type Channel = {
  id: string
  address: string
  secret: SealedSecret
  /** During a rotation of the secret: the next one (staged) or the previous one (retiring). */
  otherSecret: SealedSecret | null
  standardWebhooks: boolean
  /** Headers of each request beside our own. Null: there are none. */
  requestHeadersSealed: Buffer | null
  /** Whether the partner gets the context of recorded attempts, as the header `traceparent`. */
  sendTraceparent: boolean
  /** The partner's key may change the address, so ALLOWED_RANGES does not apply to it. */
  partnerMayChangeAddress: boolean
  paused: boolean
  /** Null: no maximum. */
  maxPerSecond: number | null
}

/** Select these columns and the channel's id as `channel_id` to get a `ChannelRow`. */
export const channelColumns = `address, secret_id, secret_sealed, other_secret_id, other_secret_sealed,
       standard_webhooks, request_headers_sealed, send_traceparent, partner_may_change_address, paused_at, max_per_second`

export type ChannelRow = {
  channel_id: string
  address: string
  secret_id: string
  secret_sealed: Buffer
  other_secret_id: string | null
  other_secret_sealed: Buffer | null
  standard_webhooks: boolean
  request_headers_sealed: Buffer | null
  send_traceparent: boolean
  partner_may_change_address: boolean
  paused_at: Date | null
  max_per_second: number | null
}

export function toChannel(row: ChannelRow): Channel {
  const { other_secret_id: otherId, other_secret_sealed: otherSealed } = row
  return {
    id: row.channel_id,
    address: row.address,
    secret: { id: row.secret_id, sealed: row.secret_sealed },
    otherSecret: otherId === null || otherSealed === null ? null : { id: otherId, sealed: otherSealed },
    standardWebhooks: row.standard_webhooks,
    requestHeadersSealed: row.request_headers_sealed,
    sendTraceparent: row.send_traceparent,
    partnerMayChangeAddress: row.partner_may_change_address,
    paused: row.paused_at !== null,
    maxPerSecond: row.max_per_second,
  }
}

/** An event whose delivery is not stored yet. */
export type NewDelivery = {
  /** A function of the event's record (`deliveryIdOf`). */
  id: string
  eventId: string
  channelId: string
  body: Buffer
  bodySha256: Buffer
  /** The digests of the reference and of the site, for searches. */
  searchDigests: Buffer
  /** `onlyEmailDigest` of the event. */
  emailSha256: string | null
  correlation: string
  /** The context of the event's span, if it is recorded. */
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
  /** Start of the retry period by `steadyClock`, moved forward by time that does not count, such as a pause. */
  since: number
  correlation: string
  /** The context in which the event was processed. Null if its trace is not recorded. */
  traceparent: Traceparent | null
  /** The context of the attempt whose retry this is. */
  previousAttempt?: Traceparent | null
} & ({ unstored: NewDelivery; claim: null } | { unstored: null; claim: Claim })

export type ClaimedDelivery = DueDelivery & { claim: Claim }

export type Claim = {
  /** Identifies the deferral that the attempt ends. Null: the delivery was scheduled. */
  deferredAt: Date | null
  /** Identifies the claim. */
  leaseExpiresAt: Date
  /**
   * No attempt may start after this (`performance.now()`), because the lease might end before the attempt.
   */
  attemptBefore: number
  /** When the attempt may start (`performance.now()`): at its time by Postgres's clock, and by the channel's maximum rate. */
  startAt: number
}

const startedAt = Date.now() - performance.now()

/**
 * The time in milliseconds since the epoch by the clock of this process's start, which nobody can set since. Retry periods are
 * measured with it: if the host's clock is set ahead during an attempt, the delivery must not die.
 */
export const steadyClock = { now: (): number => startedAt + performance.now() }
