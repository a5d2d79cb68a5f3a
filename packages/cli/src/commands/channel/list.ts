import { channelSchema, pageSchema } from "@sitewire/contracts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { noteMore, type PageOptions, pageOptions } from "../../options/pageOptions.ts"
import { table } from "../../output/table.ts"
import { localTime } from "../../output/time.ts"

export const listChannels: CliCommand = {
  name: "list",
  description: "list the channels, newest first",
  options: pageOptions,
  examples: ["sitewire channel list", "sitewire channel list --all --json"],
  json: pageSchema(channelSchema),
  async run(session, _, options: PageOptions) {
    const page = await session.callApi((client) => readPages(options, client.listChannels))
    session.print(page, ({ data }, style) =>
      data.length === 0
        ? "No channels. Create one: sitewire channel create --address URL"
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
