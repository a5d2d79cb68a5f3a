/** A channel as an attempt needs it: read anew for each batch, so that a changed address or secret counts at once. */
export type Channel = {
  id: string
  address: string
  secretId: string
  secretSealed: Buffer
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
  /** Start of the retry period, ISO 8601. */
  since: string
  correlation: string
}
