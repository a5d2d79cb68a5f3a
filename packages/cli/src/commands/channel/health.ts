import { openBreakerText } from "@sitewire/contracts/partnerMessage"
import { call } from "../../derive/call.ts"
import { healthBlock } from "./healthBlock.ts"

export const showHealth = call("channel health", "readChannelHealth", {
  description: "show how deliveries to a channel go: breaker, waiting deliveries, success rate, latency",
  examples: ["sitewire channel health acme", "sitewire channel health acme --json | jq .last_failure"],
  print: healthBlock,
  note({ last_failure: failure, paused_at, dispatchers }) {
    const isOpen = paused_at === null && dispatchers?.some(({ breaker }) => breaker === "open")
    const seen = failure?.status === null ? "its last attempts" : "what the partner's server responded"
    return [
      ...(isOpen ? [openBreakerText] : []),
      ...(failure ? [`To see ${seen}: sitewire delivery show ${failure.delivery}`] : []),
    ]
  },
})
