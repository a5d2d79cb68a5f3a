/** Words that several components show. What one component alone shows is in it. */

export const pageNames = {
  overview: "Overview",
  deliveries: "Deliveries",
  channels: "Channels",
  channel: "Your channel",
  connections: "Connections",
  incidents: "Resolved incidents",
  invalidEvents: "Invalid events",
  jobs: "Jobs",
  keys: "API keys",
  audit: "Audit log",
} as const

export const deliveryStates = {
  pending: "Pending",
  delivered: "Delivered",
  dead: "Dead",
  cancelled: "Cancelled",
  erased: "Erased",
} as const

export const waitingForNames = {
  retry: "Waits for its retry",
  busy: "Channel is busy",
  breaker: "Circuit breaker is open",
  paused: "Channel is paused",
  fault: "Fault of ours: it cannot be sent",
  resend: "Resend requested",
  overdue: "Attempt was overdue",
  rate: "Maximum rate of the channel",
  notification: "Notification of operators",
} as const

export const forStandardWebhooks = "The same, for libraries of Standard Webhooks"

export const headersNeeded =
  "The request headers are not sent to another server unless you enter their values again."

export const errorNames = {
  timeout: "Timeout",
  dns: "DNS",
  connect: "Connection refused",
  tls: "TLS",
  reset: "Connection closed",
  status: "HTTP status",
  "blocked-address": "Blocked address",
  protocol: "Invalid HTTP",
} as const

/** `HTTP 503`, or `Timeout`. */
export const failureName = ({ error, status }: { error: keyof typeof errorNames; status: number | null }) =>
  status === null ? errorNames[error] : `HTTP ${status}`

export const idHint = "Letters, digits, - and _. It cannot be changed. Default: generated."

export const syncOutcomes = {
  running: "Running",
  changed: "Changed",
  unchanged: "Unchanged",
  failed: "Failed",
  abandoned: "Abandoned",
} as const

export const connectionStates = {
  idle: "Up to date",
  waiting: "Sync due",
  running: "Syncing",
  failing: "Failing",
} as const

export const deadReasons = {
  period: {
    title: "It was not accepted within the retry period",
    more: "Nothing more is sent by itself.",
    next: "Resend it when the receiver works.",
    short: "not accepted within the retry period",
  },
  notAttempted: {
    title: "No attempt was made within the retry period",
    more: "The circuit breaker of its channel was open all the time.",
    next: "Resend it when the receiver works.",
    short: "the circuit breaker of its channel was open",
  },
  deleted: {
    title: "Its channel was deleted while it waited",
    more: "It cannot be sent: the id of a deleted channel is not used again.",
    next: "",
    short: "its channel was deleted",
  },
} as const

export const revealMore =
  "It contains the e-mail address of the site's owner. That you have seen it is written to the audit log."

/** The receiver takes a request as genuine by its body and signature alone. */
export const wholeSignatures =
  "It also contains whole signatures: whoever has the file can send this delivery to its receiver again."

export const jobKindNames = {
  resend: "Resend",
  replay: "Replay",
  erasure: "Erasure",
  reconcile: "Reconciliation",
} as const

export const reasonHint =
  "For the audit log. It is never erased, so name no person; a ticket's number is enough."

export const triggersOf = (count: number) => (count === 1 ? "1 trigger" : `${count} triggers`)
