import { auditRoutes } from "./audit.ts"
import { channelRoutes } from "./channels.ts"
import { connectionRoutes } from "./connections.ts"
import { deliveryRoutes } from "./deliveries.ts"
import { incidentRoutes } from "./incidents.ts"
import { invalidEventRoutes } from "./invalidEvents.ts"
import { jobRoutes } from "./jobs.ts"
import { keyRoutes } from "./keys.ts"
import { serviceRoutes } from "./service.ts"
import { sessionRoutes } from "./sessions.ts"
import { statisticsRoutes } from "./statistics.ts"
import { streamRoutes } from "./stream.ts"
import { topicRoutes } from "./topics.ts"

export type { Allow, ResponseHeader, Route } from "./route.ts"
export type Operation = keyof typeof routes

/** All routes of the management API, in the order of its documents. */
export const routes = {
  ...channelRoutes,
  ...connectionRoutes,
  ...deliveryRoutes,
  ...invalidEventRoutes,
  ...jobRoutes,
  ...keyRoutes,
  ...sessionRoutes,
  ...statisticsRoutes,
  ...streamRoutes,
  ...topicRoutes,
  ...incidentRoutes,
  ...auditRoutes,
  ...serviceRoutes,
}
