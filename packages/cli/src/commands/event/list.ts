import type { InvalidEvent } from "@sitewire/contracts"
import { invalidEventView } from "@sitewire/contracts/views"
import { call } from "../../derive/call.ts"

export const listEvents = call("event list", "listInvalidEvents", {
  description: "list the site.paid events that were rejected as invalid, newest first",
  examples: [
    "sitewire event list",
    "sitewire event list --event order-10042",
    "sitewire event list --all --json",
  ],
  none: "No invalid events.",
  print: invalidEventView,
  note: ({ data }) => adviceFor(data),
})

/** What to do about those that have no delivery. */
export function adviceFor(events: readonly InvalidEvent[]): string[] {
  const reasons = events.filter(({ delivery }) => delivery === null).map(({ reason }) => reason)
  const unknownChannel = reasons.includes("unknown channel")
    ? [
        "An unknown channel: correct the event's channel and publish it again, or create the channel and run: " +
          'sitewire event replay --invalid-reason "unknown channel" --reason TEXT',
      ]
    : []
  return reasons.some((reason) => reason !== "unknown channel")
    ? [
        "To have an event delivered after all, its publisher corrects what the reason names, and publishes it again with the same id.",
        ...unknownChannel,
      ]
    : unknownChannel
}
