import type { Route } from "./defineRoute.ts"
import { activateSecret } from "./channels/secret/activateSecret.ts"
import { cancelJob } from "./jobs/cancelJob.ts"
import { changeChannel } from "./channels/changeChannel.ts"
import { createChannel } from "./channels/createChannel.ts"
import { createConnection } from "./connections/createConnection.ts"
import { createErasureJob } from "./jobs/createErasureJob.ts"
import { createReplayJob } from "./jobs/createReplayJob.ts"
import { createResendJob } from "./jobs/createResendJob.ts"
import { listChannels } from "./channels/listChannels.ts"
import { listConnections } from "./connections/listConnections.ts"
import { listDeliveries } from "./deliveries/listDeliveries.ts"
import { listJobs } from "./jobs/listJobs.ts"
import { listRefusedEvents } from "./events/listInvalidEvents.ts"
import { listSyncs } from "./connections/listSyncs.ts"
import { pauseChannel } from "./channels/pauseChannel.ts"
import { readChannel } from "./channels/readChannel.ts"
import { readConnection } from "./connections/readConnection.ts"
import { readConnectionAddress } from "./connections/readConnectionTriggerUrl.ts"
import { readDelivery } from "./deliveries/readDelivery.ts"
import { readJob } from "./jobs/readJob.ts"
import { readOpenApi } from "./openapi/readOpenApi.ts"
import { readRoot } from "./openapi/readRoot.ts"
import { readSnapshot } from "./connections/readSnapshot.ts"
import { replaceConnectionToken } from "./connections/replaceConnectionToken.ts"
import { resendDelivery } from "./deliveries/resendDelivery.ts"
import { resumeChannel } from "./channels/resumeChannel.ts"
import { retireSecret } from "./channels/secret/retireSecret.ts"
import { stageSecret } from "./channels/secret/stageSecret.ts"

/** Everything that the console answers. What is not here is a 404. */
export const routes: readonly Route[] = [
  createChannel,
  listChannels,
  readChannel,
  changeChannel,
  pauseChannel,
  resumeChannel,
  stageSecret,
  activateSecret,
  retireSecret,
  createConnection,
  listConnections,
  readConnection,
  readConnectionAddress,
  replaceConnectionToken,
  listSyncs,
  readSnapshot,
  listDeliveries,
  readDelivery,
  resendDelivery,
  listRefusedEvents,
  createResendJob,
  createReplayJob,
  createErasureJob,
  listJobs,
  readJob,
  cancelJob,
  readOpenApi,
  readRoot,
]
