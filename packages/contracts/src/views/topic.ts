import type { TopicStatus } from "../api/topics.ts"
import { fields } from "./view.ts"

export const topicView = {
  columns: fields<TopicStatus>(
    ["name", { as: "id" }],
    ["partitions", { value: ({ partitions }) => partitions.length }],
    ["records", { none: "missing" }],
    "lag",
    ["oldest_unread_at", { as: "ago" }],
    [
      "blocked",
      { value: ({ partitions }) => sum(partitions.map((each) => each.open_transaction?.records)) || null },
    ],
    "group",
  ),
}

const sum = (numbers: (number | undefined)[]) => numbers.reduce<number>((total, one) => total + (one ?? 0), 0)
