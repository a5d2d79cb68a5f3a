import {
  type activateQuerySchema,
  apiKeySchema,
  attemptSchema,
  auditEntrySchema,
  type auditQuerySchema,
  type ChangeChannel,
  type ChangeConnection,
  cancelledDeliverySchema,
  channelHealthSchema,
  type channelQuerySchema,
  channelSchema,
  type connectionQuerySchema,
  connectionSchema,
  connectionSecretSchema,
  connectionTriggerUrlSchema,
  consoleSessionSchema,
  type createApiKeySchema,
  type createChannelSchema,
  type createConnectionSchema,
  createdApiKeySchema,
  createdChannelSchema,
  createdConnectionSchema,
  type createErasureJobSchema,
  type createReconcileJobSchema,
  type createReplayJobSchema,
  type createResendJobSchema,
  type deleteChannelQuerySchema,
  deletedChannelSchema,
  deliveryBodySchema,
  type deliveryQuerySchema,
  deliveryWithAttemptsSchema,
  dryRunSchema,
  endedSessionsSchema,
  incidentPageSchema,
  type incidentQuerySchema,
  incidentSchema,
  type invalidEventQuerySchema,
  invalidEventSchema,
  jobSchema,
  jobWithOutcomeSchema,
  listedChannelSchema,
  listedDeliverySchema,
  listedSyncSchema,
  type pageQuerySchema,
  pageSchema,
  requestedSyncSchema,
  resendAcceptedSchema,
  type secretQuerySchema,
  type sessionOwnerQuerySchema,
  type sessionQuerySchema,
  signInLinkSchema,
  stagedSecretSchema,
  type statisticsQuerySchema,
  statisticsSchema,
  type streamQuerySchema,
  type syncQuerySchema,
  testDeliverySchema,
  topicListSchema,
  windowPageSchema,
} from "@sitewire/contracts"
import { z } from "zod"
import { type ApiOptions, createRequest } from "./request.ts"

export type Query<Schema extends z.ZodObject> = Partial<
  Record<keyof z.input<Schema>, string | number | boolean | undefined>
>
export type PageQuery = Query<typeof pageQuerySchema>
export type Client = ReturnType<typeof createClient>

/**
 * A typed client of the management API. Methods reject with a Failure, whose `problem` is set if
 * the API rejected the request.
 */
export function createClient(options: ApiOptions) {
  const { call, send } = createRequest(options)
  const channels = pageSchema(listedChannelSchema)
  const connections = pageSchema(connectionSchema)
  const deliveries = pageSchema(listedDeliverySchema)
  const attempts = pageSchema(attemptSchema)
  const syncs = pageSchema(listedSyncSchema)
  const invalidEvents = pageSchema(invalidEventSchema)
  const jobs = pageSchema(jobSchema)
  const keys = pageSchema(apiKeySchema)
  const sessions = pageSchema(consoleSessionSchema)
  const auditEntries = pageSchema(auditEntrySchema)
  const jobOrDryRun = z.union([jobSchema, dryRunSchema])
  const post = { method: "POST" } as const

  return {
    createChannel: (body: z.input<typeof createChannelSchema>) =>
      call(createdChannelSchema, { ...post, path: "channels", body }),
    listChannels: (query: Query<typeof channelQuerySchema> = {}) =>
      call(channels, { path: "channels", query }),
    readChannel: (id: string) => call(channelSchema, { path: `channels/${segment(id)}` }),
    changeChannel: (id: string, body: ChangeChannel) =>
      call(channelSchema, { method: "PATCH", path: `channels/${segment(id)}`, body }),
    changeAddress: (id: string, address: string) =>
      call(channelSchema, { ...post, path: `channels/${segment(id)}/change-address`, body: { address } }),
    readChannelHealth: (id: string) => call(channelHealthSchema, { path: `channels/${segment(id)}/health` }),
    deleteChannel: (id: string, query: Query<typeof deleteChannelQuerySchema> = {}) =>
      call(deletedChannelSchema, { method: "DELETE", path: `channels/${segment(id)}`, query }),
    pauseChannel: (id: string) => call(channelSchema, { ...post, path: `channels/${segment(id)}/pause` }),
    resumeChannel: (id: string) => call(channelSchema, { ...post, path: `channels/${segment(id)}/resume` }),
    stageSecret: (id: string) =>
      call(stagedSecretSchema, { ...post, path: `channels/${segment(id)}/secret/stage` }),
    readStagedSecret: (id: string) =>
      call(stagedSecretSchema, { path: `channels/${segment(id)}/secret/staged` }),
    revertSecret: (id: string, query: Query<typeof activateQuerySchema> = {}) =>
      call(channelSchema, { ...post, path: `channels/${segment(id)}/secret/revert`, query }),
    activateSecret: (id: string, query: Query<typeof activateQuerySchema> = {}) =>
      call(channelSchema, { ...post, path: `channels/${segment(id)}/secret/activate`, query }),
    retireSecret: (id: string, query: Query<typeof secretQuerySchema> = {}) =>
      call(channelSchema, { ...post, path: `channels/${segment(id)}/secret/retire`, query }),
    testChannel: (id: string) =>
      call(testDeliverySchema, { ...post, path: `channels/${segment(id)}/test`, timeoutMs: 30_000 }),
    testSecret: (id: string) =>
      call(testDeliverySchema, { ...post, path: `channels/${segment(id)}/secret/test`, timeoutMs: 30_000 }),
    createConnection: (body: z.input<typeof createConnectionSchema>) =>
      call(createdConnectionSchema, { ...post, path: "connections", body }),
    listConnections: (query: Query<typeof connectionQuerySchema> = {}) =>
      call(connections, { path: "connections", query }),
    readConnection: (id: string) => call(connectionSchema, { path: `connections/${segment(id)}` }),
    changeConnection: (id: string, body: ChangeConnection) =>
      call(connectionSchema, { method: "PATCH", path: `connections/${segment(id)}`, body }),
    deleteConnection: (id: string) =>
      call(connectionSchema, { method: "DELETE", path: `connections/${segment(id)}` }),
    requestSync: (id: string) =>
      call(requestedSyncSchema, { ...post, path: `connections/${segment(id)}/sync` }),
    listWindows: (id: string, query: PageQuery = {}) =>
      call(windowPageSchema, { path: `connections/${segment(id)}/windows`, query }),
    readTriggerUrl: (id: string) =>
      call(connectionTriggerUrlSchema, { path: `connections/${segment(id)}/trigger-url` }),
    replaceConnectionSecret: (id: string) =>
      call(connectionSecretSchema, { ...post, path: `connections/${segment(id)}/signing-secret` }),
    replaceToken: (id: string) =>
      call(connectionTriggerUrlSchema, { ...post, path: `connections/${segment(id)}/token` }),
    listSyncs: (query: Query<typeof syncQuerySchema> = {}) => call(syncs, { path: "syncs", query }),
    readSnapshot: (id: string, fence?: string) =>
      send({ path: `connections/${segment(id)}/snapshot`, query: { fence } }),
    readPreviousSnapshot: (id: string) => send({ path: `connections/${segment(id)}/snapshot/previous` }),
    listDeliveries: (query: Query<typeof deliveryQuerySchema> = {}) =>
      call(deliveries, { path: "deliveries", query }),
    readDelivery: (id: string) => call(deliveryWithAttemptsSchema, { path: `deliveries/${segment(id)}` }),
    listAttempts: (id: string, query: PageQuery = {}) =>
      call(attempts, { path: `deliveries/${segment(id)}/attempts`, query }),
    revealDelivery: (id: string) => call(deliveryBodySchema, { path: `deliveries/${segment(id)}/body` }),
    cancelDelivery: (id: string, body: { reason?: string | undefined } = {}) =>
      call(cancelledDeliverySchema, { ...post, path: `deliveries/${segment(id)}/cancel`, body }),
    resendDelivery: (id: string, body: { reason?: string | undefined } = {}) =>
      call(resendAcceptedSchema, { ...post, path: `deliveries/${segment(id)}/resend`, body }),
    listInvalidEvents: (query: Query<typeof invalidEventQuerySchema> = {}) =>
      call(invalidEvents, { path: "invalid-events", query }),
    createResendJob: (body: z.input<typeof createResendJobSchema>) =>
      call(jobOrDryRun, { ...post, path: "jobs/resend", body, dryRun: body.dry_run }),
    createReplayJob: (body: z.input<typeof createReplayJobSchema>) =>
      call(jobOrDryRun, { ...post, path: "jobs/replay", body, dryRun: body.dry_run }),
    createErasureJob: (body: z.input<typeof createErasureJobSchema>) =>
      call(jobOrDryRun, { ...post, path: "jobs/erasure", body, dryRun: body.dry_run }),
    createReconcileJob: (body: z.input<typeof createReconcileJobSchema>) =>
      call(jobSchema, { ...post, path: "jobs/reconcile", body }),
    listJobs: (query: PageQuery = {}) => call(jobs, { path: "jobs", query }),
    readJob: (id: string) => call(jobWithOutcomeSchema, { path: `jobs/${segment(id)}` }),
    readStatistics: (query: Query<typeof statisticsQuerySchema> = {}) =>
      call(statisticsSchema, { path: "statistics", query }),
    listTopics: () => call(topicListSchema, { path: "topics" }),
    /** The response's body is a stream of events until `signal` is aborted. */
    openStream: (query: Query<typeof streamQuerySchema>, signal: AbortSignal) =>
      send({ path: "stream", query, headers: { Accept: "text/event-stream" }, signal }),
    cancelJob: (id: string) => call(jobSchema, { ...post, path: `jobs/${segment(id)}/cancel` }),
    createApiKey: (body: z.input<typeof createApiKeySchema>) =>
      call(createdApiKeySchema, { ...post, path: "keys", body }),
    listApiKeys: (query: PageQuery = {}) => call(keys, { path: "keys", query }),
    readApiKey: (id: string) => call(apiKeySchema, { path: `keys/${segment(id)}` }),
    readCurrentApiKey: () => call(apiKeySchema, { path: "keys/current" }),
    revokeApiKey: (id: string) => call(apiKeySchema, { method: "DELETE", path: `keys/${segment(id)}` }),
    listSessions: (query: Query<typeof sessionQuerySchema> = {}) =>
      call(sessions, { path: "sessions", query }),
    endSession: (id: string) =>
      call(endedSessionsSchema, { method: "DELETE", path: `sessions/${segment(id)}` }),
    endSessions: (query: Query<typeof sessionOwnerQuerySchema>) =>
      call(endedSessionsSchema, { method: "DELETE", path: "sessions", query }),
    createSignInLink: () => call(signInLinkSchema, { ...post, path: "sign-in-links" }),
    listIncidents: (query: Query<typeof incidentQuerySchema> = {}) =>
      call(incidentPageSchema, { path: "incidents", query }),
    acknowledgeIncident: (id: string, body: { note: string }) =>
      call(incidentSchema, { ...post, path: `incidents/${segment(id)}/acknowledge`, body }),
    withdrawAcknowledgement: (id: string) =>
      call(incidentSchema, { method: "DELETE", path: `incidents/${segment(id)}/acknowledge` }),
    listAudit: (query: Query<typeof auditQuerySchema> = {}) => call(auditEntries, { path: "audit", query }),
  }
}

/**
 * An id as one segment of a path. If the id is "." or "..", URL would resolve it, and the request would call
 * another route. An id of dots therefore becomes "-", which is the id of nothing.
 */
function segment(id: string): string {
  return /^\.*$/.test(id) ? "-" : encodeURIComponent(id)
}
