/** What a receiver must do right, in the order in which `certify` checks it. */
export const pointIds = [
  "genuine",
  "repeated",
  "forged-signature",
  "missing-signature",
  "re-encoded-body",
  "previous-secret",
  "rotation",
  "response-time",
  "burst",
] as const

/** What `certifyFurther` checks, in this order. */
export const furtherPointIds = ["uppercase-signature", "old-timestamp", "same-site"] as const

export type PointId = (typeof pointIds)[number]
export type FurtherPointId = (typeof furtherPointIds)[number]
export type PointResult = "passed" | "warning" | "failed" | "skipped"

export type ReceivedResponse = {
  /** The id that was sent in X-Sitewire-Delivery. */
  delivery: string
  /** Null: there was no response. */
  status: number | null
  /** Why there was no response; `status` for a status other than 2xx; null for 2xx. */
  error: SendError | null
  detail: string | null
  /** Until the head of the response. */
  duration_ms: number
  response_excerpt: string | null
}

type SendError = "timeout" | "dns" | "connect" | "tls" | "reset" | "status" | "blocked-address" | "protocol"

export type Finding<Id extends string = PointId> = {
  id: Id
  result: PointResult
  /** What was observed, as sentences. */
  finding: string
  received: ReceivedResponse[]
}
