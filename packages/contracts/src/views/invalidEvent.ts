import type { InvalidEvent } from "../api/invalidEvents.ts"
import { fields } from "./view.ts"

export const invalidEventView = {
  columns: fields<InvalidEvent>(
    "rejected_at",
    "channel",
    ["event", { as: "id", value: ({ event_id, key }) => event_id ?? key }],
    "reason",
    "from",
    ["delivery", { as: "id" }],
  ),
}
