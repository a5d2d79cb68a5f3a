import { statisticsQuerySchema, statisticsSchema } from "../api/statistics.ts"
import type { Route } from "./route.ts"

export const statisticsRoutes = {
  readStatistics: {
    method: "get",
    path: "/v1/statistics",
    summary: "Read statistics of the last 7 days",
    allow: { read: "all", channel: "own" },
    description:
      "Deliveries, attempts and their latency, of one channel or of all; of all, triggers and syncs too. A minute is counted a minute after its end, and kept for 7 days.",
    expensive: true,
    query: statisticsQuerySchema,
    otherResponses: { 404: "The channel does not exist." },
    success: { status: 200, description: "The points, oldest first.", schema: statisticsSchema },
  },
} satisfies Record<string, Route>
