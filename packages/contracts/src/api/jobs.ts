import { domainToUnicode } from "node:url"
import { z } from "zod"
import { plainText } from "../values/plainText.ts"
import { identifierSchema } from "./identifier.ts"
import { instantSchema } from "./time.ts"

export const jobKindSchema = z.enum(["resend", "replay", "erasure"])
export const jobStateSchema = z.enum(["running", "done", "cancelled"])

export const reasonSchema = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .regex(/^\P{Cc}*$/u, "must not hold control characters")
  .meta({
    description:
      "Why, for whoever reads the job later. It is kept: name no person, a ticket's number will do.",
  })

const perSecond = (description: string) => z.int().min(1).max(1_000).default(50).meta({ description })

const dryRunFlag = z
  .boolean()
  .default(false)
  .meta({ description: "Count what would be done, and do nothing." })

const namesSomething = (filter: object) => Object.values(filter).some((value) => value !== undefined)

/** What `created_from <= created < created_to` needs to hold anything. */
const inOrder = (from: string | undefined, to: string | undefined) =>
  from === undefined || to === undefined || Date.parse(from) < Date.parse(to)

export const resendFilterSchema = z
  .strictObject({
    channel: identifierSchema.optional().meta({ description: "Only deliveries to this channel." }),
    state: z
      .enum(["pending", "delivered", "dead"])
      .optional()
      .meta({ description: "Only deliveries in this state when the job comes to them." }),
    created_from: instantSchema.optional().meta({ description: "Only those made at this time or later." }),
    created_to: instantSchema
      .optional()
      .meta({ description: "Only those made before this time. Never later than the job's own creation." }),
  })
  .refine(
    namesSomething,
    "must name a channel, a state or a time: an empty filter would send everything again",
  )
  .refine(
    ({ created_from, created_to }) => inOrder(created_from, created_to),
    "created_from must be before created_to",
  )

export const createResendJobSchema = z
  .strictObject({
    filter: resendFilterSchema,
    reason: reasonSchema,
    per_second: perSecond("Deliveries sent again in a second, at most."),
    dry_run: dryRunFlag,
  })
  .meta({ id: "CreateResendJob" })

export const replayFilterSchema = z
  .strictObject({
    reason: plainText.min(1).max(500).optional().meta({
      description: 'Only records that were refused for this reason: its beginning, "unknown channel".',
    }),
    from: instantSchema.optional().meta({ description: "Only records refused at this time or later." }),
    to: instantSchema.optional().meta({ description: "Only records refused before this time." }),
  })
  .refine(namesSomething, "must name a reason or a time: an empty filter would publish everything again")
  .refine(({ from, to }) => inOrder(from, to), "from must be before to")

export const createReplayJobSchema = z
  .strictObject({
    filter: replayFilterSchema,
    reason: reasonSchema,
    per_second: perSecond("Events published again in a second, at most; in pieces of up to 500."),
    dry_run: dryRunFlag,
  })
  .meta({ id: "CreateReplayJob" })

/** In letters of its own, as people write it, or as name servers call it, which is what a URL holds. */
function holdsHost(text: string, hostname: string): boolean {
  const host = hostname.replace(/\.$/, "")
  const written = text.normalize("NFC").toLowerCase()
  return [host, domainToUnicode(host)].some((spelling) => written.includes(spelling))
}

export const createErasureJobSchema = z
  .strictObject({
    email: z
      .email({ pattern: z.regexes.unicodeEmail, message: "must be one e-mail address" })
      .max(320)
      .optional()
      .meta({ description: "Erase what is kept of this address, however its letters are cased." }),
    site_url: z
      .url({
        protocol: /^https?$/,
        message: "must be a site's http or https address, such as https://shop.example",
        abort: true,
      })
      .max(2048)
      .optional()
      .meta({ description: "Erase what is kept of the site at this address." }),
    reason: reasonSchema,
    dry_run: dryRunFlag,
  })
  .refine(
    ({ email, site_url }) => (email === undefined) !== (site_url === undefined),
    "must hold exactly one of email and site_url",
  )
  .refine(({ reason }) => !/\S@\S/.test(reason), "reason must not hold an e-mail address: it is kept")
  .refine(
    ({ site_url, reason }) => !site_url || !holdsHost(reason, new URL(site_url).hostname),
    "reason must not hold the site's address: it is kept",
  )
  .meta({ id: "CreateErasureJob" })

export const remainingTopicSchema = z
  .object({
    topic: z.string(),
    retention_ends_at: z.iso.datetime().meta({
      description: "The topic's retention for the newest record that the job could not know of.",
    }),
    gone_by: z.iso.datetime().meta({
      description:
        "The latest time: Kafka deletes whole segments, and closes one of these topics after a day at the latest.",
    }),
    note: z.string(),
  })
  .meta({ id: "RemainingTopic", description: "What an erasure cannot reach, and until when it is there." })

export const jobSchema = z
  .object({
    id: z.string(),
    kind: jobKindSchema,
    state: jobStateSchema,
    filter: z.record(z.string(), z.string()).meta({
      description:
        "What it applies to. Of an erasure the SHA-256 of what was asked for, and never that itself.",
    }),
    per_second: z.int().nullable().meta({ description: "The pace of a resend or a replay." }),
    reason: z.string(),
    requested_by: z.string().meta({ description: "Id and name of the key that asked for it." }),
    counts: z.record(z.string(), z.int()).meta({ description: "What was seen and done so far, by name." }),
    created_at: z.iso.datetime(),
    finished_at: z.iso.datetime().nullable(),
    remains: z
      .array(remainingTopicSchema)
      .nullable()
      .meta({ description: "Of an erasure: what could not be erased. null for other kinds." }),
  })
  .meta({
    id: "Job",
    description: "Something long that an operator asked for. Of an erasure that is done, this is the proof.",
  })

export const dryRunSchema = z
  .object({
    dry_run: z.literal(true),
    matching: z.int().meta({ description: "What the job would work on." }),
    left_out: z
      .int()
      .meta({ description: "What the filter takes in and the job would leave: erased deliveries." }),
    complete: z
      .boolean()
      .meta({ description: "false: the time for counting was over, and there is at least this much." }),
  })
  .meta({ id: "DryRun", description: "What a job would do. Nothing was changed." })

export type ResendFilter = z.output<typeof resendFilterSchema>
export type ReplayFilter = z.output<typeof replayFilterSchema>
export type Job = z.infer<typeof jobSchema>
export type DryRun = z.infer<typeof dryRunSchema>
export type RemainingTopic = z.infer<typeof remainingTopicSchema>
