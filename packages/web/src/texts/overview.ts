import { deliveriesOf } from "@sitewire/contracts/partnerMessage"

export const overviewTexts = {
  home: {
    nothing: "Your key shows nothing here",
    nothingMore: "Ask an operator for a key with a scope such as channel:acme or site:bakery.example.",
  },

  problems: {
    title: "Current problems",
    unknown: "Some problems could not be checked",
    none: "No problems",
    noneMore:
      "No channel or connection is failing, no consumer is behind, no delivery of the last 7 days is dead, and no event of the last 24 hours was invalid.",
    for: "for",
    channelFails: (id: string) => `Channel ${id} is failing`,
    responds: (status: number) => `Its receiver responds ${status}.`,
    failsOften: "Deliveries have failed three times in a row or more.",
    breakerOpen: "Its circuit breaker is open.",
    waiting: (count: string, one: boolean) => `${deliveriesOf(count, one)} ${one ? "waits" : "wait"}.`,
    otherChannelsFail: (count: string, one: boolean) =>
      one ? "1 other channel is failing" : `${count} other channels are failing`,
    otherConnectionsFail: (count: string, one: boolean) =>
      one ? "1 other connection is failing" : `${count} other connections are failing`,
    otherChannelsPaused: (count: string, one: boolean) =>
      one ? "1 other channel is paused" : `${count} other channels are paused`,
    othersDetail: "Only the newest are shown above.",
    channelNext: "See why, and tell the partner",
    noTopic: (name: string) => `Topic ${name} does not exist`,
    noTopicNext: "Run the setup job.",
    lag: (name: string, lag: string, one: boolean) =>
      `Consumers of ${name} are behind by ${lag} ${one ? "record" : "records"}`,
    lagNext: (group: string) => `Check the processes of the group ${group}.`,
    blockedNext: (partition: number, offset: string) =>
      `End the publisher's transaction that is open in partition ${partition} from offset ${offset} on.`,
    overdue: (channel: string) => `A delivery to ${channel} is overdue`,
    overdueDetail: "Its attempt was due, and no dispatcher has made it.",
    overdueNext: "See the delivery, and check the dispatchers",
    connectionFails: (id: string) => `Connection ${id} is failing`,
    connectionDetail: (site: string, error: string) => `The source of ${site} cannot be fetched: ${error}.`,
    connectionNext: "See its syncs",
    paused: (id: string) => `Channel ${id} is paused`,
    pausedDetail: "Its deliveries are stored and wait.",
    pausedNext: "Resume it when the partner is ready",
    seeChannel: "Open the channel",
    seeThem: "See them",
    dead: (count: string, one: boolean, channel: string) =>
      `${deliveriesOf(count, one)} to ${channel} ${one ? "is" : "are"} dead`,
    otherChannels: "other channels",
    deadDetail: "They were not accepted within their retry period, and nothing more is sent by itself.",
    deadNext: "Resend them when the receiver works",
    invalid: (count: number, more: boolean) =>
      `${more ? "More than " : ""}${count === 1 ? "1 invalid event" : `${count} invalid events`} in the last 24 hours`,
    invalidDetail: (reason: string) => `The newest: ${reason}.`,
    invalidNext: "See which to replay, and which their publishers must correct",
    resolved: "Resolved problems",
    acknowledge: "Acknowledge",
    acknowledgeTitle: (problem: string) => `Acknowledge: ${problem}?`,
    acknowledgeMore:
      "Everybody sees that you care for it, until it is resolved. If it comes back later, it is a new problem.",
    allOfHost: (host: string) => `This is for all connections whose source is on ${host}.`,
    note: "Note: who does what until when",
    acknowledged: "Acknowledged",
    acknowledgedBy: (by: string, note: string) => `Acknowledged by ${by} until it is resolved: ${note}`,
    withdraw: "Withdraw",
    withdrawTitle: (problem: string) => `Withdraw the acknowledgement of: ${problem}?`,
    withdrawn: "Withdrawn",
  },

  charts: {
    title: "Activity",
    range: "Time range",
    ranges: { "1h": "1 h", "6h": "6 h", "24h": "24 h", "7d": "7 days" },
    open: "Press Enter to see the deliveries of the selected time.",
    openSyncs: "Press Enter to see the syncs of the selected time.",
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
    deferred: "Deferred deliveries by reason",
    countedAt: "counted",
    noneDeferred: "No delivery is deferred.",
  },
} as const
