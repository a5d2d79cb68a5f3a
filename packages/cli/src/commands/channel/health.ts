import { channelHealthSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { healthBlock } from "./healthBlock.ts"

export const showHealth: CliCommand = {
  name: "health",
  description: "show how deliveries to a channel go: breaker, waiting deliveries, success rate, latency",
  arguments: [["<channel>", "the channel's id"]],
  examples: ["sitewire channel health acme", "sitewire channel health acme --json | jq .last_failure"],
  json: channelHealthSchema,
  async run({ callApi, print, note }, [id]: [string]) {
    const health = await callApi((client) => client.readChannelHealth(id))
    print(health, healthBlock)
    if (health.last_failure !== null)
      note(
        `To see what the partner's server responded: sitewire delivery show ${health.last_failure.delivery}`,
      )
  },
}
