import { topicListSchema } from "@sitewire/contracts"
import { topicStatus } from "../../kafka/topicStatus.ts"
import { defineRoute } from "../defineRoute.ts"
import { ok } from "../response.ts"

export const listTopics = defineRoute({
  method: "get",
  path: "/v1/topics",
  operation: "listTopics",
  summary: "List the Kafka topics with the lag of their consumers",
  allow: { read: "all" },
  description: "All topics of the catalogue. If Kafka does not respond within 8 seconds, the status is 503.",
  success: { status: 200, description: "All topics.", schema: topicListSchema },
  async handle({ readTopics }) {
    return ok({ data: (await readTopics()).map(topicStatus) })
  },
})
