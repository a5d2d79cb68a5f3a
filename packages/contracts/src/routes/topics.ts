import { topicListSchema } from "../api/topics.ts"
import type { Route } from "./route.ts"

export const topicRoutes = {
  listTopics: {
    method: "get",
    path: "/v1/topics",
    summary: "List the Kafka topics with the lag of their consumers",
    allow: { read: "all" },
    description:
      "All topics of the catalogue. If Kafka does not respond within 8 seconds, the status is 503.",
    success: { status: 200, description: "All topics.", schema: topicListSchema },
  },
} satisfies Record<string, Route>
