import {
  type Incident,
  incidentKindSchema,
  incidentPageSchema,
  incidentStateSchema,
} from "@sitewire/contracts"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { timeHelp } from "../../options/parseTime.ts"
import { type TimeRange, timeRangeOptions } from "../../options/timeRange.ts"
import { timeColumn } from "../../output/table.ts"

type Options = PageOptions &
  TimeRange & {
    state?: Incident["state"]
    kind?: Incident["kind"]
    subject?: string
  }

export const listIncidents: CliCommand = {
  name: "list",
  description: "list what is wrong and what was, newest first",
  options: [
    new Option("--state <state>", "open: incidents that exist; resolved: those of the past").choices(
      incidentStateSchema.options,
    ),
    new Option("--kind <kind>", "only incidents of this kind").choices(incidentKindSchema.options),
    new Option("--subject <id>", "only incidents of this channel, topic, or host of sources"),
    ...timeRangeOptions("incidents noticed"),
    ...pageOptions,
  ],
  notes: `${timeHelp}\n\nTo be notified of incidents, create a channel with your own address: \`sitewire channel create --operator-notifications on\`.`,
  examples: [
    "sitewire incident list --state open",
    "sitewire incident list --state resolved --subject acme --after 7d",
  ],
  json: incidentPageSchema,
  async run(session, _, options: Options) {
    const { state, kind, subject, after: created_after, before: created_before } = options
    const filter = { state, kind, subject, created_after, created_before }
    let channels: string | null = null
    const found = await session.callApi((client) =>
      readPages(options, async (query) => {
        const read = await client.listIncidents({ ...query, ...filter })
        channels = read.channels
        return read
      }),
    )
    const page = { ...found, channels }
    if (channels !== null) session.note(channels)
    printPage(session, page, "No incidents.", () => [
      { title: "ID", cell: ({ id }) => id, whole: true },
      timeColumn("SINCE", ({ since }) => since),
      { title: "STATE", cell: (one) => (isAcknowledged(one) ? "acknowledged" : one.state) },
      { title: "KIND", cell: ({ kind }) => kind },
      { title: "SUBJECT", cell: ({ subject }) => subject.id },
      timeColumn("RESOLVED", ({ resolved_at }) => resolved_at),
      { title: "AT MOST", cell: ({ max_count }) => String(max_count ?? ""), align: "right" },
      { title: "INCIDENT", cell: ({ summary, detail }) => `${summary} ${detail}`.trim() },
      { title: "NEXT STEP", cell: (one) => (one.state === "open" ? one.command : "") },
      { title: "NOTE", cell: ({ acknowledgement }) => acknowledgement?.note ?? "" },
    ])
  },
}

const isAcknowledged = ({ state, acknowledgement }: Incident) => state === "open" && acknowledgement !== null
