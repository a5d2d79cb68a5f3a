import { keyRoutes, sessionRoutes } from "./access.ts"
import { channelRoutes } from "./channels.ts"
import { connectionRoutes } from "./connections.ts"
import { deliveryRoutes } from "./deliveries.ts"
import {
  auditRoutes,
  incidentRoutes,
  invalidEventRoutes,
  serviceRoutes,
  statisticsRoutes,
  streamRoutes,
  topicRoutes,
} from "./installation.ts"
import { jobRoutes } from "./jobs.ts"

export type { Allow, Route } from "./route.ts"
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
