import { listedChannelSchema, pageSchema } from "@sitewire/contracts"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { describeDead } from "./healthBlock.ts"

type Options = PageOptions & { search?: string; failing?: boolean; paused?: boolean }

export const listChannels: CliCommand = {
  name: "list",
  description: "search the channels, newest first",
  options: [
    new Option("--search <text>", "only channels whose id, or the host of whose address, contains this"),
    new Option("--failing", "only channels with an open circuit breaker, or a delivery that failed 3 times"),
    new Option("--paused", "only paused channels"),
    ...pageOptions,
  ],
  examples: [
    "sitewire channel list",
    "sitewire channel list --failing",
    "sitewire channel list --search partner.example --all --json",
  ],
  json: pageSchema(listedChannelSchema),
  async run(session, _, options: Options) {
    const { search: q, failing, paused } = options
    const filter = { q, paused, health: failing ? ("failing" as const) : undefined }
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listChannels({ ...query, ...filter })),
    )
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    printPage(
      session,
      page,
      isFiltered ? "No such channels." : "No channels. Create one: sitewire channel create --address URL",
      (style) => [
        { title: "ID", cell: (channel) => channel.id, whole: true },
        {
          title: "HEALTH",
          cell: ({ health, paused_at }) => (paused_at === null ? health : `${health}, paused`),
          paint: (text, { health }) => (health === "ok" ? text : style.paint("red", text)),
        },
        {
          title: "DEAD",
          cell: ({ dead: { count } }) => (count === 0 ? "" : describeDead(count)),
          align: "right",
          paint: (text) => style.paint("red", text),
        },
        {
          title: "LAST ERROR",
          cell: ({ last_error, last_status }) => String(last_status ?? last_error ?? ""),
        },
        { title: "ADDRESS", cell: (channel) => channel.address },
      ],
    )
  },
}
