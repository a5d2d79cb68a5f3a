import { type InvalidEvent, invalidEventSchema, pageSchema } from "@sitewire/contracts"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { timeColumn } from "../../output/table.ts"

export const listEvents: CliCommand = {
  name: "list",
  description: "list the site.paid events that were rejected as invalid, newest first",
  options: [
    new Option("--event <text>", "only events whose id, record key or correlation is this text"),
    ...pageOptions,
  ],
  examples: [
    "sitewire event list",
    "sitewire event list --event order-10042",
    "sitewire event list --all --json",
  ],
  json: pageSchema(invalidEventSchema),
  async run(session, _, options: PageOptions & { event?: string }) {
    const { event } = options
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listInvalidEvents({ ...query, event })),
    )
    printPage(session, page, "No invalid events.", () => [
      timeColumn("REJECTED", (event) => event.rejected_at),
      { title: "CHANNEL", cell: (event) => event.channel ?? "" },
      { title: "EVENT", cell: (event) => event.event_id ?? event.key ?? "", whole: true },
      { title: "REASON", cell: (event) => event.reason },
      { title: "FROM", cell: (event) => event.from },
      { title: "DELIVERY", cell: (event) => event.delivery ?? "", whole: true },
    ])
    for (const advice of adviceFor(page.data)) session.note(advice)
  },
}

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
