import { topicView } from "@sitewire/contracts/views"
import type { CommandGroup } from "../command.ts"
import { call } from "../derive/call.ts"

export const topic: CommandGroup = {
  name: "topic",
  description: "the Kafka topics",
  commands: [
    call("topic list", "listTopics", {
      description: "list the Kafka topics with the lag of their consumers",
      notes:
        "In a retry topic, records are unread until their delay is over. BLOCKED counts records that nobody reads before an open transaction of a publisher ends; --json shows partition, offset and time.",
      examples: [
        "sitewire topic list",
        "sitewire topic list --json | jq '.data[] | select(.lag > 1000) | .name'",
      ],
      print: topicView,
    }),
  ],
}
