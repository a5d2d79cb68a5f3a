import { channelHealthSchema } from "@sitewire/contracts"
import { openBreakerText } from "@sitewire/contracts/partnerMessage"
import type { CliCommand } from "../../command.ts"
import { healthBlock } from "./healthBlock.ts"

export const showHealth: CliCommand = {
  name: "health",
  description: "show how deliveries to a channel go: breaker, waiting deliveries, success rate, latency",
  arguments: [["<channel>", "the channel's id"]],
  examples: ["sitewire channel health acme", "sitewire channel health acme --json | jq .last_failure"],
  json: channelHealthSchema,
  async run({ callApi, print, note }, [id]: [string]) {
    const health = await callApi((client) => client.readChannelHealth({ id }))
    print(health, healthBlock)
    const { last_failure: failure, paused_at, dispatchers } = health
    if (paused_at === null && dispatchers.some(({ breaker }) => breaker === "open")) note(openBreakerText)
    if (failure !== null) {
      const seen = failure.status === null ? "its last attempts" : "what the partner's server responded"
      note(`To see ${seen}: sitewire delivery show ${failure.delivery}`)
    }
  },
}
