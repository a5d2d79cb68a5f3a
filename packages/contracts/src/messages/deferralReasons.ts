/** Why a delivery is deferred, in the order of the database's enum. The web console bundles this file. */
export const deferralReasons = {
  busy: "its channel has no capacity",
  breaker: "its channel's circuit breaker is open",
  paused: "its channel is paused, or was and is resuming",
  fault: "a fault of ours: it cannot be sent, and our log states why",
  resend: "a resend was requested",
  overdue: "its attempt was due, and its Kafka record did not come",
  rate: "its channel has a maximum rate",
  notification: "it is an operator notification that was not attempted yet",
} as const

export type DeferralReason = keyof typeof deferralReasons
