import { ok } from "../../http/response.ts"
import { topicStatus } from "../../kafka/topicStatus.ts"
import { implement } from "../implement.ts"

export const listTopics = implement("listTopics", async ({ readTopics }) => {
  return ok({ data: (await readTopics()).map(topicStatus) })
})
