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
  "uppercase-signature",
  "old-timestamp",
  "same-site",
] as const

export type PointId = (typeof pointIds)[number]
export type PointResult = "passed" | "warning" | "failed" | "skipped"

export type Finding = {
  id: PointId
  result: PointResult
  /** What was observed, as sentences. */
  finding: string
}
