import type { DeliveryOutcome } from "@sitewire/contracts"
import type { Fault } from "../faults/driveFaults.ts"

/**
 * An event that Kafka acknowledged. `sha256` is of the body that the partner must get. `twice`: two records of it were published at
 * once, under two keys. `erasable`: erasures may concern it, some of which are cancelled at once.
 */
export type PublishedEvent = {
  event: string
  channel: string
  sha256: string
  twice: boolean
  erasable: boolean
}

export type DeliveryRow = {
  delivery: string
  event: string
  state: string
  attempts: number
  sha256: string
  /** What its row of `waiting_delivery` shows. Both are false if it has none. */
  deferred: boolean
  scheduled: boolean
}

/** Times are milliseconds since the epoch. */
export type AttemptRow = { delivery: string; number: number; at: number; delivered: boolean }

/**
 * A request that a partner got. `status` is its response: `none` is no response, `reset` a closed connection.
 * `verified`: it is signed, and its body is that of the event for this channel.
 */
export type SeenRequest = {
  at: number
  channel: string
  delivery: string
  number: number
  sha256: string
  verified: boolean
  event: string
  status: number | "none" | "reset"
}

/** A delivery was deferred (it waits for a dispatcher to claim it) at the time `at`, by Postgres's clock. */
export type Deferral = { delivery: string; reason: string; at: number }

/**
 * A resend that the console accepted (202). It is either of one delivery, which the console deferred between
 * `requestedAt` and `acceptedAt`, or a job that resends many.
 */
export type AcceptedResend =
  | { kind: "delivery"; delivery: string; requestedAt: number; acceptedAt: number }
  | { kind: "job"; job: string }

export type Evidence = {
  published: PublishedEvent[]
  deliveries: DeliveryRow[]
  attempts: AttemptRow[]
  requests: SeenRequest[]
  deferrals: Deferral[]
  accepted: AcceptedResend[]
  /** The records of `site.ready.outcome`. */
  outcomes: Pick<DeliveryOutcome, "event_id" | "state" | "ended_at">[]
  jobs: { job: string; state: string; resent: number }[]
  /** The keys of records that the consumer groups have not committed: event ids, and delivery ids in retry topics. */
  uncommittedKeys: { events: string[]; deliveries: string[] }
  faults: Fault[]
  /** How many dispatchers there are, and how many deliveries each may have outstanding. */
  members: number
  outstanding: number
}

export const isSuccess = ({ status }: SeenRequest): boolean =>
  typeof status === "number" && status >= 200 && status < 300

/** The tolerance in comparisons of times: rows have whole milliseconds, and two processes read the clock. */
export const clockMs = 20
