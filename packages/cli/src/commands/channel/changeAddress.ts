import { channelSchema } from "@sitewire/contracts"
import { Option } from "commander"
import type { CliCommand } from "../../command.ts"
import { block } from "../../output/block.ts"
import { channelEntries } from "./channelEntries.ts"

export const changeAddress: CliCommand = {
  name: "change-address",
  description: "change a channel's address if the receiver there answers a challenge",
  arguments: [["<channel>", "the channel's id"]],
  options: [
    new Option("--address <url>", "the partner's new notification address (required)").makeOptionMandatory(),
  ],
  notes:
    "The challenge is a test delivery with the header X-Sitewire-Challenge. The receiver must return it in the same header\n" +
    "of a 2xx response. A key of the channel needs an operator's permission: channel update --partner-may-change-address on.",
  examples: ["sitewire channel change-address acme --address https://partner.example/new"],
  json: channelSchema,
  async run({ callApi, print }, [id]: [string], { address }: { address: string }) {
    const channel = await callApi((client) => client.changeAddress({ id, body: { address } }))
    print(channel, (shown, style) => block(style, channelEntries(shown, style)))
  },
}
