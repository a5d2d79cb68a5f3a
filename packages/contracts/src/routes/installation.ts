import { z } from "zod"
import { auditEntrySchema, auditQuerySchema } from "../api/audit.ts"
import {
  acknowledgeIncidentSchema,
  incidentPageSchema,
  incidentQuerySchema,
  incidentSchema,
} from "../api/incidents.ts"
import { invalidEventQuerySchema, invalidEventSchema } from "../api/invalidEvents.ts"
import { statisticsQuerySchema, statisticsSchema } from "../api/statistics.ts"
import { streamQuerySchema } from "../api/stream.ts"
import { topicListSchema } from "../api/topics.ts"
import { idParameter } from "./parameters.ts"
import { pageOf, type Route } from "./route.ts"

export const incidentRoutes = {
  listIncidents: {
    method: "get",
    path: "/v1/incidents",
    summary: "List incidents of the installation",
    allow: { read: "all" },
    description:
      "What is wrong now (`open`: our own faults first, then by dead and waiting deliveries, last what is acknowledged), and what was (`resolved`, newest first). Dead deliveries of a channel that fails are part of its `channel.failing`, and are listed apart only with `kind`. An incident that comes back within five minutes is the same one. At most 100 incidents of a kind are open at a time; those beyond are one incident with the subject `*`. Resolved ones are stored as long as the audit log, at most the newest 100,000.",
    query: incidentQuerySchema,
    success: { schema: incidentPageSchema },
  },
  acknowledgeIncident: {
    method: "post",
    path: "/v1/incidents/{id}/acknowledge",
    summary: "Acknowledge an incident",
    allow: { operate: "all" },
    description:
      "Until the incident is resolved, it is shown as one that somebody cares for. If it comes back later, it is a new incident, which is not acknowledged. Acknowledging it again replaces the note.",
    params: idParameter,
    body: acknowledgeIncidentSchema,
    success: { schema: incidentSchema },
    problems: ["incident-resolved"],
  },
  withdrawAcknowledgement: {
    method: "delete",
    path: "/v1/incidents/{id}/acknowledge",
    summary: "Withdraw the acknowledgement of an incident",
    allow: { operate: "all" },
    description: "If the incident is not acknowledged, nothing changes.",
    params: idParameter,
    success: { schema: incidentSchema },
    problems: ["incident-resolved"],
  },
} satisfies Record<string, Route>

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
    success: pageOf(invalidEventSchema, "InvalidEventPage"),
  },
} satisfies Record<string, Route>

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
    problems: ["not-found"],
    success: { schema: statisticsSchema },
  },
} satisfies Record<string, Route>

export const streamRoutes = {
  openStream: {
    method: "get",
    path: "/v1/stream",
    summary: "Follow changes as server-sent events",
    allow: { read: "all", channel: "own", site: "own", connection: "own" },
    description: [
      "Sends an event within about two seconds of a change. The data of an event is JSON:",
      "`delivery` (created, attempted, resent or cancelled), `sync` (begun or ended), `channel` (changed or paused), `job` (created, progressed or ended; only for keys with the scope `read` or `operate`), `heartbeat` (at least every 10 s; the changes until its time `at` were sent), `reset` (changes were missed: read what you show again; `reason` is too-many) and `end` (the stream ends; `reason` is key-invalid (also: the session has ended), stopping or unavailable).",
      "A stream begins when it is opened: after an interruption, read what you show again. An event can come twice. Other changes of a delivery, such as a deferral, come with its next attempt. Those of bulk jobs, and the end of a deleted channel's deliveries, are sent for deliveries of the last half minute only.",
    ].join("\n\n"),
    query: streamQuerySchema,
    endless: true,
    problems: ["not-found", "too-many-streams"],
    success: {
      description:
        "The stream. It ends within seconds of the revocation or expiry of the API key, or the end of the session.",
      contentType: "text/event-stream",
      headers: { "X-Accel-Buffering": "Tells proxies not to buffer." },
    },
  },
} satisfies Record<string, Route>

export const topicRoutes = {
  listTopics: {
    method: "get",
    path: "/v1/topics",
    summary: "List the Kafka topics with the lag of their consumers",
    allow: { read: "all" },
    description:
      "All topics of the catalogue. If Kafka does not respond within 8 seconds, the status is 503.",
    problems: ["kafka-unavailable"],
    success: { schema: topicListSchema },
  },
} satisfies Record<string, Route>

export const auditRoutes = {
  listAudit: {
    method: "get",
    path: "/v1/audit",
    summary: "Search the audit log, newest first",
    allow: { admin: "all" },
    description:
      "Every write, and every read that revealed a secret or personal data: who, what, when, with the values before and after. Of requests that failed, only those are listed for which the key lacks the scope: one in ten minutes for each key and route, with the operation `denyRequest`. Each entry is also a log line of the console. Entries are kept for AUDIT_RETENTION, a year by default.",
    expensive: true,
    query: auditQuerySchema,
    success: pageOf(auditEntrySchema, "AuditPage"),
  },
} satisfies Record<string, Route>

const problemCodeSchema = z
  .object({
    code: z.string(),
    status: z.int(),
    title: z.string(),
    meaning: z.string(),
    remedy: z.string().describe("What to do."),
  })
  .meta({ id: "ProblemCode", description: "A cause of error responses." })

export const serviceRoutes = {
  listProblems: {
    method: "get",
    path: "/problems",
    summary: "List the causes of error responses",
    allow: "anyone",
    success: { schema: z.object({ data: z.array(problemCodeSchema) }).meta({ id: "ProblemCodes" }) },
  },
  readProblem: {
    method: "get",
    path: "/problems/{code}",
    summary: "Read what a cause of error responses means",
    allow: "anyone",
    params: z.object({ code: z.string().max(64) }),
    success: { schema: problemCodeSchema },
  },
  readOpenApi: {
    method: "get",
    path: "/openapi.json",
    summary: "Read this document",
    allow: "anyone",
    success: { schema: z.looseObject({ openapi: z.string() }) },
  },
  readRoot: {
    method: "get",
    path: "/",
    summary: "Read links to the API and to its description",
    allow: "anyone",
    success: { schema: z.object({ name: z.string(), api: z.string(), openapi: z.string() }) },
  },
} satisfies Record<string, Route>
