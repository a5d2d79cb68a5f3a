import { attemptErrorTexts } from "@sitewire/contracts/partnerMessage"

export const statesTexts = {
  states: {
    delivery: {
      pending: "Pending",
      delivered: "Delivered",
      dead: "Dead",
      cancelled: "Cancelled",
      erased: "Erased",
    },
    connection: { idle: "Up to date", waiting: "Sync due", running: "Syncing", failing: "Failing" },
    sync: {
      running: "Running",
      changed: "Changed",
      unchanged: "Unchanged",
      failed: "Failed",
      abandoned: "Abandoned",
    },
    job: { running: "Running", done: "Done", cancelled: "Cancelled" },
  },

  /** The error classes of attempts, in a word. */
  errorNames: {
    timeout: "Timeout",
    dns: "DNS",
    connect: "Connection refused",
    tls: "TLS",
    reset: "Connection closed",
    status: "HTTP status",
    "blocked-address": "Blocked address",
    protocol: "Invalid HTTP",
  },

  /** As sentences about the receiver. */
  errors: attemptErrorTexts,

  waitingFor: {
    retry: "Waits for its retry",
    busy: "Channel is busy",
    breaker: "Circuit breaker is open",
    paused: "Channel is paused",
    fault: "Dispatcher cannot send it",
    resend: "Resend requested",
    overdue: "Attempt was overdue",
    rate: "Maximum rate of the channel",
    notification: "Notification of operators",
  },
} as const
