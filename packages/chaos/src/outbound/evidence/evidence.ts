import type { Fault } from "../../faults/driveFaults.ts"
import type { AcceptedResend } from "../load/resendDeliveries.ts"
import type { Deferral } from "./recordDeferrals.ts"

/** What the broker acknowledged. `sha256` is of the body that is due for it. */
export type PublishedEvent = { event: string; channel: string; sha256: string }

export type DeliveryRow = {
  delivery: string
  event: string
  state: string
  attempts: number
  sha256: string
  /** `deferred_at` and `next_attempt_at` are set. */
  deferred: boolean
  scheduled: boolean
}

/** Times are milliseconds since the epoch. */
export type AttemptRow = { delivery: string; number: number; at: number; delivered: boolean }

export type SeenRequest = {
  at: number
  channel: string
  delivery: string
  number: number
  sha256: string
  verified: boolean
  event: string
  answer: number | "none" | "reset"
}

export type Evidence = {
  published: PublishedEvent[]
  deliveries: DeliveryRow[]
  attempts: AttemptRow[]
  requests: SeenRequest[]
  deferrals: Deferral[]
  accepted: AcceptedResend[]
  jobs: { job: string; state: string; resent: number }[]
  /** Keys of the records that the groups have not committed: event ids of site.paid, delivery ids of the retry topics. */
  carried: { events: string[]; deliveries: string[] }
  faults: Fault[]
  /** Members of the group, and deliveries that one of them may have outstanding. */
  members: number
  outstanding: number
}

export const isTaken = ({ answer }: SeenRequest): boolean =>
  typeof answer === "number" && answer >= 200 && answer < 300

/** Rows have milliseconds, and two processes read the clock. */
export const clockMs = 20
