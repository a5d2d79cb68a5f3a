import { routes as contract, type Operation } from "@sitewire/contracts/routes"
import * as audit from "./audit.ts"
import * as changeAddress from "./channels/changeAddress.ts"
import * as changeChannel from "./channels/changeChannel.ts"
import * as checks from "./channels/checks.ts"
import * as createChannel from "./channels/createChannel.ts"
import * as deleteChannel from "./channels/deleteChannel.ts"
import * as pauseChannel from "./channels/pauseChannel.ts"
import * as readChannels from "./channels/readChannels.ts"
import * as rotateSecret from "./channels/rotateSecret.ts"
import * as changeConnection from "./connections/changeConnection.ts"
import * as createConnection from "./connections/createConnection.ts"
import * as readConnections from "./connections/readConnections.ts"
import * as readSnapshot from "./connections/readSnapshot.ts"
import * as replaceSecrets from "./connections/replaceSecrets.ts"
import * as requestSync from "./connections/requestSync.ts"
import * as syncs from "./connections/syncs.ts"
import * as listDeliveries from "./deliveries/listDeliveries.ts"
import * as readDelivery from "./deliveries/readDelivery.ts"
import * as resendDelivery from "./deliveries/resendDelivery.ts"
import type { Route } from "./implement.ts"
import * as incidents from "./incidents.ts"
import * as invalidEvents from "./invalidEvents.ts"
import * as createJobs from "./jobs/createJobs.ts"
import * as jobs from "./jobs/jobs.ts"
import * as keys from "./keys.ts"
import * as service from "./service.ts"
import * as sessions from "./sessions.ts"
import * as statistics from "./statistics.ts"

const implemented: Record<Operation, Route> = {
  ...audit,
  ...changeAddress,
  ...changeChannel,
  ...checks,
  ...createChannel,
  ...deleteChannel,
  ...pauseChannel,
  ...readChannels,
  ...rotateSecret,
  ...changeConnection,
  ...createConnection,
  ...syncs,
  ...readConnections,
  ...readSnapshot,
  ...replaceSecrets,
  ...requestSync,
  ...listDeliveries,
  ...readDelivery,
  ...resendDelivery,
  ...invalidEvents,
  ...incidents,
  ...createJobs,
  ...jobs,
  ...keys,
  ...service,
  ...sessions,
  ...statistics,
}

/** In the order of the contract, because a path without parameters must be before one that it would match. */
export const routes: readonly Route[] = Object.keys(contract).map((name) => implemented[name as Operation])
