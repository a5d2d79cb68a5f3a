import { type InvalidEvent, invalidEventSchema, pageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { table } from "../../output/table.ts"
import { localTime } from "../../output/time.ts"

export const listEvents: CliCommand = {
  name: "list",
  description: "list the site.paid events that were rejected as invalid, newest first",
  options: pageOptions,
  examples: ["sitewire event list", "sitewire event list --all --json"],
  json: pageSchema(invalidEventSchema),
  async run(session, _, options: PageOptions) {
    const page = await session.callApi((client) => readPages(options, client.listInvalidEvents))
    session.print(page, ({ data }, style) =>
      data.length === 0
        ? "No invalid events."
        : table(style, data, [
            { title: "REJECTED", cell: (event) => localTime(event.rejected_at) },
            { title: "CHANNEL", cell: (event) => event.channel ?? "" },
            { title: "EVENT", cell: (event) => event.event_id ?? "" },
            { title: "FROM", cell: (event) => event.from },
            { title: "REASON", cell: (event) => event.reason },
            { title: "DELIVERY", cell: (event) => event.delivery ?? "" },
          ]),
    )
    for (const advice of adviceFor(page.data)) session.note(advice)
    noteMore(session, page)
  },
}

/** What to do about those that have no delivery. */
function adviceFor(events: readonly InvalidEvent[]): string[] {
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
