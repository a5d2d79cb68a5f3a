import { domainToUnicode } from "node:url"
import { z } from "zod"
import { anyEmailAddress } from "../values/emailAddress.ts"
import { httpUrl } from "../values/httpUrl.ts"
import { oneLine, plainText } from "../values/plainText.ts"
import { timeSchema, tooFar } from "../values/time.ts"
import { identifierSchema } from "./identifier.ts"
import { blockedPartitionSchema, differingEventSchema, exceptionSchema } from "./reconciliation.ts"

export const jobKindSchema = z.enum(["resend", "replay", "erasure", "reconcile"])
export const jobStateSchema = z.enum(["running", "done", "cancelled"])

export const reasonSchema = oneLine(500).describe(
  "Why you request this, for later readers. It is never erased, so name no person; a ticket's number is enough.",
)

const perSecond = (description: string) => z.int().min(1).max(1_000).default(50).describe(description)

const dryRunFlag = z.boolean().default(false).describe("Only count what the job would do.")

const hasField = (filter: object) => Object.values(filter).some((value) => value !== undefined)

const isRange = (after: string | undefined, before: string | undefined) =>
  after === undefined || before === undefined || Date.parse(after) < Date.parse(before)

export const resendFilterSchema = z
  .strictObject({
    channel: identifierSchema.optional().describe("Only deliveries to this channel."),
    state: z
      .enum(["pending", "delivered", "dead", "cancelled"])
      .optional()
      .describe(
        "Only deliveries in this state when the job reaches them. Default: in any state but `cancelled`.",
      ),
    created_after: timeSchema
      .optional()
      .describe("Only deliveries created at this time (inclusive) or later."),
    created_before: timeSchema
      .optional()
      .describe(
        "Only deliveries created before this time (exclusive). Default, and latest: the job's creation.",
      ),
  })
  .refine(
    hasField,
    "must contain channel, state, created_after or created_before: an empty filter would resend every delivery",
  )
  .refine(
    ({ created_after, created_before }) => isRange(created_after, created_before),
    "must have a created_after that is earlier than created_before",
  )
  .meta({
    description: "Which deliveries to resend.",
    minProperties: 1,
    "x-rejections": [
      "must have a created_after that is earlier than created_before",
      "must contain a channel of the API key and the state dead",
    ],
  })

export const createResendJobSchema = z
  .strictObject({
    filter: resendFilterSchema,
    reason: reasonSchema,
    per_second: perSecond("Maximum number of deliveries resent per second."),
    dry_run: dryRunFlag,
  })
  .meta({ id: "CreateResendJob" })

export const replayFilterSchema = z
  .strictObject({
    reason: plainText
      .min(1)
      .max(500)
      .optional()
      .describe('Only events whose reason begins with this text, such as "unknown channel".'),
    rejected_after: timeSchema.optional().describe("Only events rejected at this time (inclusive) or later."),
    rejected_before: timeSchema.optional().describe("Only events rejected before this time (exclusive)."),
  })
  .refine(
    hasField,
    "must contain reason, rejected_after or rejected_before: an empty filter would replay every event",
  )
  .refine(
    ({ rejected_after, rejected_before }) => isRange(rejected_after, rejected_before),
    "must have a rejected_after that is earlier than rejected_before",
  )
  .meta({
    description: "Which events to replay.",
    minProperties: 1,
    "x-rejections": ["must have a rejected_after that is earlier than rejected_before"],
  })

export const createReplayJobSchema = z
  .strictObject({
    filter: replayFilterSchema,
    reason: reasonSchema,
    per_second: perSecond(
      "Maximum number of events replayed per second, on average: they are published in batches of up to 500.",
    ),
    dry_run: dryRunFlag,
  })
  .meta({ id: "CreateReplayJob" })

/**
 * True if the text contains the host name. Both spellings of a Unicode host name are searched for, because
 * people write letters such as "ü", and a URL contains Punycode.
 */
function containsHost(text: string, hostname: string): boolean {
  const host = hostname.replace(/\.$/, "")
  const written = text.normalize("NFC").toLowerCase()
  return [host, domainToUnicode(host)].some((spelling) => written.includes(spelling))
}

export const createErasureJobSchema = z
  .strictObject({
    email: anyEmailAddress
      .optional()
      .describe("Erase all data of the person with this address. Upper and lower case are equal."),
    site_url: httpUrl.optional().describe("Erase all data of the site with this URL."),
    reason: reasonSchema.meta({
      "x-rejections": [
        "must not contain an e-mail address, because the reason is never erased",
        "must not contain the site's host, because the reason is never erased",
      ],
    }),
    dry_run: dryRunFlag,
  })
  .refine(
    ({ email, site_url }) => (email === undefined) !== (site_url === undefined),
    "must contain either email or site_url",
  )
  .refine(({ reason }) => !/\S@\S/.test(reason), {
    path: ["reason"],
    error: "must not contain an e-mail address, because the reason is never erased",
  })
  .refine(
    ({ site_url, reason }) => !site_url || !containsHost(reason, URL.parse(site_url)?.hostname ?? site_url),
    {
      path: ["reason"],
      error: "must not contain the site's host, because the reason is never erased",
    },
  )
  .meta({
    id: "CreateErasureJob",
    override: ({ jsonSchema }: { jsonSchema: object }) =>
      splitAlternatives(jsonSchema, "Erasure", ["email", "site_url"]),
  })

export const reconcileFilterSchema = z.strictObject({
  created_after: timeSchema.meta({
    description:
      "Check records with this time (inclusive) or later. At most 7 days ago, and within RETENTION.",
    "x-rejections": [tooFar, "must be at most"],
  }),
  created_before: timeSchema.describe("Check records with an earlier time (exclusive)."),
})

export const createReconcileJobSchema = reconcileFilterSchema
  .extend({
    created_before: reconcileFilterSchema.shape.created_before
      .optional()
      .describe("Check records with an earlier time (exclusive). Default, and latest: the job's creation."),
    reason: reasonSchema.optional(),
  })
  .refine(
    ({ created_after, created_before }) => isRange(created_after, created_before),
    "must have a created_after that is earlier than created_before",
  )
  .meta({
    id: "CreateReconcileJob",
    "x-rejections": ["must have a created_after that is earlier than created_before"],
  })

export const remainingTopicSchema = z
  .object({
    topic: z.string(),
    retention_ends_at: z.iso
      .datetime()
      .describe(
        "When the topic's retention ends for records that were published before the job was created.",
      ),
    last_deleted_at: z.iso
      .datetime()
      .describe(
        "When Kafka has deleted the last of these records. Later than the retention, because Kafka deletes whole segments.",
      ),
    note: z.string(),
  })
  .meta({
    id: "RemainingTopic",
    description: "Records that an erasure cannot delete, and when Kafka deletes them.",
  })

export const jobSchema = z
  .object({
    id: z.string(),
    kind: jobKindSchema,
    state: jobStateSchema,
    filter: z
      .record(z.string(), z.string())
      .describe(
        "What the job applies to. Of an erasure: the SHA-256 of the e-mail address or URL, never the text.",
      ),
    per_second: z
      .int()
      .nullable()
      .describe("Maximum rate of a resend or a replay. null: another kind of job."),
    reason: z.string(),
    requested_by: z.string().describe("Id and name of the API key that requested the job."),
    counts: z.record(z.string(), z.int()).describe("What the job has done so far, by name."),
    total: z
      .int()
      .min(0)
      .nullable()
      .describe(
        "How many deliveries or events a resend or a replay found when it began. When it is done, as many are resent or replayed, or left out. null: not counted yet, too many to count, or another kind of job.",
      ),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    remains: z
      .array(remainingTopicSchema)
      .nullable()
      .describe("Of an erasure: what could not be erased. null: another kind of job."),
    differing: z
      .array(differingEventSchema)
      .nullable()
      .describe(
        "Of a reconciliation: events with the id of a delivered event and other data, at most 200; `counts.events_differing` is the number of all. null: another kind of job.",
      ),
    open_transactions: z
      .array(blockedPartitionSchema)
      .nullable()
      .describe(
        "Of a reconciliation: transactions of publishers that were open when it began, within the period. What waits for their end is not consumed. null: another kind of job.",
      ),
    exceptions: z
      .array(exceptionSchema)
      .nullable()
      .describe(
        "Of a reconciliation: records that are not accounted for, at most 200; `counts.exceptions` is the number of all. null: another kind of job.",
      ),
  })
  .meta({
    id: "Job",
    description: "Bulk work in the background. A finished erasure job is the proof of the erasure.",
  })

/** Each number of a job's outcome is counted up to this. */
export const mostCounted = 10_000

const outcomeCount = (description: string) => z.int().min(0).describe(description)

export const jobOutcomeSchema = z
  .object({
    delivered: outcomeCount("Accepted by their receivers."),
    pending: outcomeCount("Waiting for an attempt, also those that were delivered before the resend."),
    dead: outcomeCount("Dead again: not accepted within their new retry period."),
    cancelled: outcomeCount("Cancelled after the resend."),
    erased: outcomeCount("Erased after the resend."),
  })
  .meta({
    id: "JobOutcome",
    description: `What became of the deliveries of a resend that no later job has resent or erased. Each number is at most ${mostCounted}, which means "as many or more".`,
  })

export const jobWithOutcomeSchema = jobSchema
  .extend({
    outcome: jobOutcomeSchema
      .nullable()
      .describe(
        "Of a resend: what became of its deliveries. `GET /v1/deliveries?job=<id>` lists them. null: another kind of job.",
      ),
  })
  .meta({ id: "JobWithOutcome", description: "A job, and what became of what it has done." })

export const dryRunSchema = z
  .object({
    dry_run: z.literal(true).describe("The request had `dry_run`, so there is no job."),
    matching: z.int().describe("How many deliveries or events the job would process."),
    left_out: z
      .int()
      .describe(
        "How many match the filter and would be left out, because they were erased, or because their channel was deleted.",
      ),
    complete: z
      .boolean()
      .describe("false: counting took too long and was stopped, so the numbers are minimums."),
    newest: z
      .array(z.uuid())
      .optional()
      .describe(
        "Of an erasure: ids of the newest 5 deliveries that it would erase, newest first. Missing if `complete` is false.",
      ),
  })
  .meta({ id: "DryRun", description: "What a job would do. Nothing has been changed." })

export type ResendFilter = z.output<typeof resendFilterSchema>
export type ReconcileFilter = z.output<typeof reconcileFilterSchema>
export type ReplayFilter = z.output<typeof replayFilterSchema>
export type Job = z.infer<typeof jobSchema>
export type JobOutcome = z.infer<typeof jobOutcomeSchema>
export type JobWithOutcome = z.infer<typeof jobWithOutcomeSchema>
export type DryRun = z.infer<typeof dryRunSchema>
export type RemainingTopic = z.infer<typeof remainingTopicSchema>

type ObjectSchema = { id?: string; properties?: Record<string, unknown>; required?: string[] }

/**
 * Changes the JSON Schema of an object that needs exactly one of the fields `names`: into `oneOf`, with a schema for
 * each of them. Generated clients name types after the titles.
 */
export function splitAlternatives(jsonSchema: object, what: string, names: readonly string[]): void {
  const { id: _, properties = {}, required = [], ...rest }: ObjectSchema = jsonSchema
  const alternatives = names.map((name) => ({
    ...rest,
    title: `${what} by ${name}`,
    properties: Object.fromEntries(
      Object.entries(properties).filter(([field]) => field === name || !names.includes(field)),
    ),
    required: [name, ...required],
  }))
  for (const key of Object.keys(jsonSchema)) delete (jsonSchema as Record<string, unknown>)[key]
  Object.assign(jsonSchema, { oneOf: alternatives })
}
