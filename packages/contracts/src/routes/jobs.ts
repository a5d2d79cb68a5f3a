import {
  createErasureJobSchema,
  createReconcileJobSchema,
  createReplayJobSchema,
  createResendJobSchema,
  dryRunSchema,
  jobSchema,
  jobWithOutcomeSchema,
} from "../api/jobs.ts"
import { pageQuerySchema } from "../api/pagination.ts"
import { idParameter } from "./parameters.ts"
import { pageOf, type Route } from "./route.ts"

const jobStarted = { status: 202, schema: jobSchema, location: true } as const

export const jobRoutes = {
  createResendJob: {
    method: "post",
    path: "/v1/jobs/resend",
    summary: "Resend all deliveries that match a filter",
    allow: { operate: "all", channel: "own" },
    description:
      "Defers the deliveries at the requested rate; each is sent as soon as its channel has capacity, with the same id and bytes, to the channel's current address. Erased deliveries are left out. The job continues after a restart, and is done when all deliveries are deferred. With the scope `channel:<id>`, the filter must contain the channel and the state `dead`, and one resend of the channel runs at a time.",
    expensive: true,
    body: createResendJobSchema,
    problems: ["not-found", "job-running"],
    success: jobStarted,
    alternative: dryRunSchema,
  },
  createReplayJob: {
    method: "post",
    path: "/v1/jobs/replay",
    summary: "Replay invalid events that match a filter",
    allow: { operate: "all" },
    description:
      "Publishes matching records of site.paid.invalid to site.paid again, unchanged. Events that are still invalid are rejected again; events that have been delivered meanwhile are ignored by their id. Events that an erasure covers are left out: those rejected before it, or up to ten minutes after.",
    readsKafka: true,
    body: createReplayJobSchema,
    success: jobStarted,
    alternative: dryRunSchema,
  },
  createErasureJob: {
    method: "post",
    path: "/v1/jobs/erasure",
    summary: "Erase all data of a person or a site",
    allow: { "personal-data": "all" },
    description:
      "Erases the bodies of deliveries, their hashes, and partners' responses to them. The deliveries remain, in the state `erased`. The job stores a digest of the e-mail address (keyed) or URL. When it is done it is the proof of the erasure, and lists what could not be erased.",
    expensive: true,
    body: createErasureJobSchema,
    success: jobStarted,
    alternative: dryRunSchema,
  },
  createReconcileJob: {
    method: "post",
    path: "/v1/jobs/reconcile",
    summary: "Prove that no event and no trigger of a period is lost",
    allow: { operate: "all" },
    description:
      "Compares Kafka with Postgres: each record of site.paid must be a delivery or an invalid event, and each accepted trigger must be covered by a sync, or a sync must be due. Records that are not consumed yet are counted separately. Changes nothing.",
    body: createReconcileJobSchema,
    success: jobStarted,
  },
  listJobs: {
    method: "get",
    path: "/v1/jobs",
    summary: "List jobs, newest first",
    allow: { read: "all", "personal-data": "own" },
    query: pageQuerySchema,
    success: pageOf(jobSchema, "JobPage"),
  },
  readJob: {
    method: "get",
    path: "/v1/jobs/{id}",
    summary: "Read a job: its progress, or the proof of an erasure",
    allow: { read: "all", "personal-data": "own", channel: "own" },
    description: "With the scope `channel:<id>`: a resend that the same key has requested.",
    params: idParameter,
    success: { schema: jobWithOutcomeSchema },
  },
  cancelJob: {
    method: "post",
    path: "/v1/jobs/{id}/cancel",
    summary: "Cancel a job",
    allow: { operate: "own", "personal-data": "own" },
    description:
      "When the response arrives, the job does nothing more. What it has done is not undone: deliveries that a resend has deferred are sent, and `resent` counts them. Cancelling a cancelled job changes nothing. An erasure needs the scope `personal-data`, other jobs `operate`.",
    params: idParameter,
    success: { schema: jobSchema },
    problems: ["job-done"],
  },
} satisfies Record<string, Route>
