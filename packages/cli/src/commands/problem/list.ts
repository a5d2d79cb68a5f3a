import {
  type OperatorProblem,
  operatorProblemSchema,
  pageSchema,
  problemKindSchema,
  problemStateSchema,
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
    state?: OperatorProblem["state"]
    kind?: OperatorProblem["kind"]
    subject?: string
  }

export const listProblems: CliCommand = {
  name: "list",
  description: "list what is wrong and what was, newest first",
  options: [
    new Option("--state <state>", "open: problems that exist; resolved: those of the past").choices(
      problemStateSchema.options,
    ),
    new Option("--kind <kind>", "only problems of this kind").choices(problemKindSchema.options),
    new Option("--subject <id>", "only problems of this channel, topic, or host of sources"),
    ...timeRangeOptions("problems noticed"),
    ...pageOptions,
  ],
  notes: `${timeHelp}\n\nTo be notified of problems, create a channel with your own address: \`sitewire channel create --operator-notifications on\`.`,
  examples: [
    "sitewire problem list --state open",
    "sitewire problem list --state resolved --subject acme --after 7d",
  ],
  json: pageSchema(operatorProblemSchema),
  async run(session, _, options: Options) {
    const { state, kind, subject, after: created_after, before: created_before } = options
    const filter = { state, kind, subject, created_after, created_before }
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listProblems({ ...query, ...filter })),
    )
    printPage(session, page, "No problems.", () => [
      { title: "ID", cell: ({ id }) => id, whole: true },
      timeColumn("SINCE", ({ since }) => since),
      { title: "STATE", cell: (one) => (isAcknowledged(one) ? "acknowledged" : one.state) },
      { title: "KIND", cell: ({ kind }) => kind },
      { title: "SUBJECT", cell: ({ subject }) => subject.id },
      timeColumn("RESOLVED", ({ resolved_at }) => resolved_at),
      { title: "AT MOST", cell: ({ max_count }) => String(max_count ?? ""), align: "right" },
      { title: "NEXT STEP", cell: (one) => (one.state === "open" ? one.next_step : "") },
      { title: "NOTE", cell: ({ acknowledgement }) => acknowledgement?.note ?? "" },
    ])
  },
}

const isAcknowledged = ({ state, acknowledgement }: OperatorProblem) =>
  state === "open" && acknowledgement !== null
