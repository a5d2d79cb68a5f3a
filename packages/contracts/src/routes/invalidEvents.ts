import { invalidEventQuerySchema, invalidEventSchema } from "../api/invalidEvents.ts"
import { pageOf, type Route } from "./route.ts"

export const invalidEventRoutes = {
  listInvalidEvents: {
    method: "get",
    path: "/v1/invalid-events",
    summary: "List invalid events, newest first",
    allow: { read: "all", publisher: "all" },
    description:
      "The records of site.paid.invalid, within its retention. Reading them from Kafka takes seconds.",
    readsKafka: true,
    query: invalidEventQuerySchema,
    success: pageOf(invalidEventSchema, "InvalidEventPage", "A page of invalid events."),
  },
} satisfies Record<string, Route>
