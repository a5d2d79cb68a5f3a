import { channelSchema, pageSchema } from "@sitewire/contracts"
import { Option } from "commander"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { table } from "../../output/table.ts"
import { localTime } from "../../output/time.ts"

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
  json: pageSchema(channelSchema),
  async run(session, _, options: Options) {
    const { search: q, failing, paused } = options
    const filter = { q, paused, health: failing ? "failing" : undefined }
    const page = await session.callApi((client) =>
      readPages(options, (query) => client.listChannels({ ...query, ...filter })),
    )
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    session.print(page, ({ data }, style) =>
      data.length === 0
        ? isFiltered
          ? "No such channels."
          : "No channels. Create one: sitewire channel create --address URL"
        : table(style, data, [
            { title: "ID", cell: (channel) => channel.id },
            { title: "CREATED", cell: (channel) => localTime(channel.created_at) },
            { title: "STATE", cell: (channel) => (channel.paused_at === null ? "active" : "paused") },
            { title: "ADDRESS", cell: (channel) => channel.address },
          ]),
    )
    noteMore(session, page)
  },
}
