import { topicListSchema } from "@sitewire/contracts"
import type { CliCommand } from "../../command.ts"
import { table } from "../../output/table.ts"
import { relativeTime } from "../../output/time.ts"

export const listTopics: CliCommand = {
  name: "list",
  description: "list the Kafka topics with the lag of their consumers",
  notes:
    "In a retry topic, records are unread until their delay is over. BLOCKED counts records that nobody reads before an open transaction of a publisher ends; --json shows partition, offset and time.",
  examples: [
    "sitewire topic list",
    "sitewire topic list --json | jq '.data[] | select(.lag > 1000) | .name'",
  ],
  json: topicListSchema,
  async run({ callApi, print }) {
    const topics = await callApi((client) => client.listTopics())
    print(topics, ({ data }, style) => {
      return table(style, data, [
        { title: "NAME", cell: ({ name }) => name, whole: true },
        { title: "PARTITIONS", cell: ({ partitions }) => String(partitions.length), align: "right" },
        {
          title: "RECORDS",
          cell: ({ records }) => (records === null ? "missing" : String(records)),
          align: "right",
        },
        { title: "LAG", cell: ({ lag }) => String(lag ?? ""), align: "right" },
        {
          title: "OLDEST UNREAD",
          cell: ({ oldest_unread_at: at }) => (at === null ? "" : relativeTime(at, style.now)),
        },
        {
          title: "BLOCKED",
          cell: ({ partitions }) =>
            String(sum(partitions.map((each) => each.open_transaction?.records)) || ""),
          align: "right",
        },
        { title: "GROUP", cell: ({ group }) => group ?? "" },
      ])
    })
  },
}

const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((total, one) => total + (one ?? 0), 0)
