import type { Route } from "../route.ts"
import { activateSecret } from "./activateSecret.ts"
import { cancelJob } from "./cancelJob.ts"
import { changeChannel } from "./changeChannel.ts"
import { createChannel } from "./createChannel.ts"
import { createConnection } from "./createConnection.ts"
import { createErasureJob } from "./createErasureJob.ts"
import { createReplayJob } from "./createReplayJob.ts"
import { createResendJob } from "./createResendJob.ts"
import { listChannels } from "./listChannels.ts"
import { listConnections } from "./listConnections.ts"
import { listDeliveries } from "./listDeliveries.ts"
import { listJobs } from "./listJobs.ts"
import { listRefusedEvents } from "./listRefusedEvents.ts"
import { listSyncs } from "./listSyncs.ts"
import { pauseChannel } from "./pauseChannel.ts"
import { readChannel } from "./readChannel.ts"
import { readConnection } from "./readConnection.ts"
import { readConnectionAddress } from "./readConnectionAddress.ts"
import { readDelivery } from "./readDelivery.ts"
import { readJob } from "./readJob.ts"
import { readOpenApi } from "./readOpenApi.ts"
import { readRoot } from "./readRoot.ts"
import { readSnapshot } from "./readSnapshot.ts"
import { replaceConnectionToken } from "./replaceConnectionToken.ts"
import { resendDelivery } from "./resendDelivery.ts"
import { resumeChannel } from "./resumeChannel.ts"
import { retireSecret } from "./retireSecret.ts"
import { stageSecret } from "./stageSecret.ts"

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
