export const invalidEventsTexts = {
  invalidEvents: {
    none: "No invalid events",
    noneMore: "Each site.paid event was valid. One that is not appears here with the reason.",
    delivered: "Delivered since",
    notDelivered: "Not delivered",
    columns: {
      rejected: "Rejected",
      reason: "Reason",
      event: "Event",
      channel: "Channel",
      delivery: "Delivery",
      size: "Size",
      from: "Record",
    },
  },

  replay: {
    label: "Replay",
    title: "Replay invalid events",
    rejection: "Events whose reason begins with",
    rejectionHint:
      "Create the missing channel first. An event that is itself invalid must be corrected and published again by its publisher.",
    matching: (count: string, one: boolean, complete: boolean) =>
      `${complete ? "" : "At least "}${count} ${one ? "event" : "events"} will be published again`,
    explain:
      "Events that are still invalid come back to this list. An event that was delivered is not delivered twice.",
    rate: "Events per second",
  },
} as const
