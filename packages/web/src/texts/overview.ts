export const overviewTexts = {
  home: {
    nothing: "Your key shows nothing here",
    nothingMore: "Ask an operator for a key with a scope such as channel:acme or site:bakery.example.",
  },

  incidents: {
    title: "Current incidents",
    unknown: "What is wrong cannot be read",
    none: "No incidents",
    noneMore:
      "No channel or connection is failing, no consumer is behind, no delivery of the last 7 days is dead, and no event of the last 24 hours was invalid.",
    for: "for",
    see: "See more",
    resolved: "Resolved incidents",
    acknowledge: "Acknowledge",
    acknowledgeTitle: (incident: string) => `Acknowledge: ${incident}?`,
    acknowledgeMore:
      "Everybody sees that you care for it, until it is resolved. If it comes back later, it is a new incident.",
    allOfHost: (host: string) => `This is for all connections whose source is on ${host}.`,
    note: "Note: who does what until when",
    acknowledged: "Acknowledged",
    acknowledgedBy: (by: string, note: string) => `Acknowledged by ${by} until it is resolved: ${note}`,
    withdraw: "Withdraw",
    withdrawTitle: (incident: string) => `Withdraw the acknowledgement of: ${incident}?`,
    withdrawn: "Withdrawn",
  },

  charts: {
    title: "Activity",
    range: "Time range",
    ranges: { "1h": "1 h", "24h": "24 h" },
    open: "Press Enter to see the deliveries of the selected time.",
    deliveries: "Deliveries",
    created: "created",
    failedAttempts: "failed attempts",
    success: "Success rate",
    rate: "of attempts",
    latency: "Latency",
    countedUntil: "Counted until",
    incomplete: "The newest point of each line is not complete yet.",
    soFar: "so far",
    triggers: "Triggers and syncs",
    triggersAccepted: "accepted triggers",
    triggersCovered: "covered triggers",
    syncs: "syncs",
  },
} as const
