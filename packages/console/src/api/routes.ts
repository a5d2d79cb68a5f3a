import { routes as contract, type Operation } from "@sitewire/contracts/routes"
import { listAudit } from "./audit/listAudit.ts"
import { changeAddress } from "./channels/changeAddress.ts"
import { changeChannel } from "./channels/changeChannel.ts"
import { testChannel, testSecret } from "./channels/checks/testChannel.ts"
import { createChannel } from "./channels/createChannel.ts"
import { deleteChannel } from "./channels/deleteChannel.ts"
import { listChannels } from "./channels/listChannels.ts"
import { pauseChannel } from "./channels/pauseChannel.ts"
import { readChannel } from "./channels/readChannel.ts"
import { readChannelHealth } from "./channels/readChannelHealth.ts"
import { resumeChannel } from "./channels/resumeChannel.ts"
import { activateSecret } from "./channels/secret/activateSecret.ts"
import { readStagedSecret } from "./channels/secret/readStagedSecret.ts"
import { retireSecret } from "./channels/secret/retireSecret.ts"
import { revertSecret } from "./channels/secret/revertSecret.ts"
import { stageSecret } from "./channels/secret/stageSecret.ts"
import { changeConnection } from "./connections/changeConnection.ts"
import { createConnection } from "./connections/createConnection.ts"
import { deleteConnection } from "./connections/deleteConnection.ts"
import { listConnections } from "./connections/listConnections.ts"
import { listSyncs } from "./connections/listSyncs.ts"
import { listWindows } from "./connections/listWindows.ts"
import { readConnection } from "./connections/readConnection.ts"
import { readConnectionTriggerUrl } from "./connections/readConnectionTriggerUrl.ts"
import { readSnapshot } from "./connections/readSnapshot.ts"
import { replaceConnectionSecret } from "./connections/replaceConnectionSecret.ts"
import { replaceConnectionToken } from "./connections/replaceConnectionToken.ts"
import { requestSync } from "./connections/requestSync.ts"
import { cancelDelivery } from "./deliveries/cancelDelivery.ts"
import { listAttempts } from "./deliveries/listAttempts.ts"
import { listDeliveries } from "./deliveries/listDeliveries.ts"
import { readDelivery } from "./deliveries/readDelivery.ts"
import { resendDelivery } from "./deliveries/resendDelivery.ts"
import { revealDelivery } from "./deliveries/revealDelivery.ts"
import { listInvalidEvents } from "./events/listInvalidEvents.ts"
import type { Route } from "./implement.ts"
import { acknowledgeIncident, withdrawAcknowledgement } from "./incidents/acknowledgeIncident.ts"
import { listIncidents } from "./incidents/listIncidents.ts"
import { cancelJob } from "./jobs/cancelJob.ts"
import { createErasureJob } from "./jobs/createErasureJob.ts"
import { createReconcileJob } from "./jobs/createReconcileJob.ts"
import { createReplayJob } from "./jobs/createReplayJob.ts"
import { createResendJob } from "./jobs/createResendJob.ts"
import { listJobs } from "./jobs/listJobs.ts"
import { readJob } from "./jobs/readJob.ts"
import { createApiKey } from "./keys/createApiKey.ts"
import { listApiKeys } from "./keys/listApiKeys.ts"
import { readApiKey } from "./keys/readApiKey.ts"
import { readCurrentApiKey } from "./keys/readCurrentApiKey.ts"
import { revokeApiKey } from "./keys/revokeApiKey.ts"
import { listProblems, readProblem } from "./openapi/listProblems.ts"
import { readOpenApi } from "./openapi/readOpenApi.ts"
import { readRoot } from "./openapi/readRoot.ts"
import { endSession, endSessions } from "./sessions/endSession.ts"
import { listSessions } from "./sessions/listSessions.ts"
import { createSignInLink } from "./signIn/createSignInLink.ts"
import { readStatistics } from "./statistics/readStatistics.ts"
import { openStream } from "./stream/openStream.ts"
import { listTopics } from "./topics/listTopics.ts"

const implemented: Record<Operation, Route> = {
  createChannel,
  listChannels,
  readChannel,
  readChannelHealth,
  changeChannel,
  changeAddress,
  deleteChannel,
  pauseChannel,
  resumeChannel,
  stageSecret,
  readStagedSecret,
  activateSecret,
  revertSecret,
  retireSecret,
  testChannel,
  testSecret,
  createConnection,
  listConnections,
  readConnection,
  changeConnection,
  deleteConnection,
  readConnectionTriggerUrl,
  replaceConnectionToken,
  replaceConnectionSecret,
  requestSync,
  listSyncs,
  listWindows,
  readSnapshot,
  listDeliveries,
  readDelivery,
  listAttempts,
  revealDelivery,
  resendDelivery,
  cancelDelivery,
  listInvalidEvents,
  createResendJob,
  createReplayJob,
  createErasureJob,
  createReconcileJob,
  listJobs,
  readJob,
  cancelJob,
  createApiKey,
  listApiKeys,
  readCurrentApiKey,
  readApiKey,
  revokeApiKey,
  createSignInLink,
  listSessions,
  endSession,
  endSessions,
  readStatistics,
  openStream,
  listTopics,
  listIncidents,
  acknowledgeIncident,
  withdrawAcknowledgement,
  listAudit,
  listProblems,
  readProblem,
  readOpenApi,
  readRoot,
}

/** In the order of the contract, because a path without parameters must be before one that it would match. */
export const routes: readonly Route[] = Object.keys(contract).map((name) => implemented[name as Operation])
