export type SealedSecret = { id: string; sealed: Buffer }

/** A channel as an attempt needs it: read anew for each batch, so that a changed address or secret counts at once. */
export type Channel = {
  id: string
  address: string
  /** The active one. */
  secret: SealedSecret
  /** During a rotation: staged, or retiring. */
  otherSecret: SealedSecret | null
  standardWebhooks: boolean
  /** An operator has paused the channel. */
  paused: boolean
}

/** What the statements that resolve a channel select of it, beside its id as `channel_id`. */
export const channelColumns = `address, secret_id, secret_sealed, other_secret_id, other_secret_sealed,
       standard_webhooks, paused_at`

export type ChannelRow = {
  channel_id: string
  address: string
  secret_id: string
  secret_sealed: Buffer
  other_secret_id: string | null
  other_secret_sealed: Buffer | null
  standard_webhooks: boolean
  paused_at: Date | null
}

export function toChannel(row: ChannelRow): Channel {
  const { other_secret_id: otherId, other_secret_sealed: otherSealed } = row
  return {
    id: row.channel_id,
    address: row.address,
    secret: { id: row.secret_id, sealed: row.secret_sealed },
    otherSecret: otherId === null || otherSealed === null ? null : { id: otherId, sealed: otherSealed },
    standardWebhooks: row.standard_webhooks,
    paused: row.paused_at !== null,
  }
}

/** A delivery's next attempt, with all that it needs. */
export type DueDelivery = {
  id: string
  eventId: string
  channel: Channel
  /** The bytes that are signed and sent. */
  body: Buffer
  /** Number of the attempt to make. */
  attempt: number
  /** Failed attempts since `since`. */
  failures: number
  /** Start of the retry period, ISO 8601. Time that does not count towards the period has moved it forward. */
  since: string
  correlation: string
  /** Set where the delivery was deferred and claimed. Otherwise a record carries it. */
  claim: Claim | null
}

export type Claim = {
  /** Names the deferral that the attempt ends: a resend that comes meanwhile is another one. */
  deferredAt: Date
  leaseExpiresAt: Date
  /** No attempt begins after this, by `performance.now()`: another dispatcher may claim the delivery when the lease ends. */
  attemptBefore: number
}

/** Why a delivery is not attempted now; see `DeferralReason` in the schema. */
export type DeferralReason = "busy" | "breaker" | "paused" | "fault"
