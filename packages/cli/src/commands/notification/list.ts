import {
  type Notification,
  notificationEventSchema,
  notificationSchema,
  notificationStatusSchema,
  pageSchema,
} from "@sitewire/contracts"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { timeColumn } from "../../output/table.ts"

type Options = PageOptions & {
  status?: Notification["status"]
  event?: Notification["event"]
  subject?: string
}

export const listNotifications: CliCommand = {
  name: "list",
  description: "list the problems that operators are notified of, newest first",
  options: [
    new Option("--status <status>", "firing: problems that exist; resolved: those of the past").choices(
      notificationStatusSchema.options,
    ),
    new Option("--event <event>", "only problems of this kind").choices(notificationEventSchema.options),
    new Option("--subject <id>", "only problems of this channel, or of this host of sources"),
    ...pageOptions,
  ],
  notes:
    "To receive notifications, create a channel with your own address: `sitewire channel create --operator-notifications on`.",
  examples: ["sitewire notification list --status firing", "sitewire notification list --subject acme"],
  json: pageSchema(notificationSchema),
  async run(session, _, options: Options) {
    const { status, event, subject } = options
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listNotifications({ ...query, status, event, subject })),
    )
    printPage(session, page, "No problems.", () => [
      timeColumn("SINCE", ({ since }) => since),
      { title: "STATUS", cell: (one) => one.status },
      { title: "EVENT", cell: (one) => one.event },
      { title: "SUBJECT", cell: (one) => one.subject.id },
      { title: "NEXT STEP", cell: (one) => (one.status === "firing" ? one.next_step : "") },
    ])
  },
}
