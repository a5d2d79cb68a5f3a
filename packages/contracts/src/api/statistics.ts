import { z } from "zod"
import { timeSchema, tooFar } from "../values/time.ts"
import { deadDeliveriesSchema } from "./channels.ts"
import { syncSchema } from "./connections.ts"
import { attemptErrorSchema, deferralReasonSchema } from "./deliveries.ts"
import { identifierSchema } from "./identifier.ts"

export const maxStatisticPoints = 1_500

/** Longer ranges are those of Prometheus, which has the services' metrics. */
export const statisticsKeptMs = 7 * 86_400_000

export const statisticsQuerySchema = z.strictObject({
  merge: z.coerce
    .number()
    .int()
    .min(1)
    .max(1_440)
    .default(1)
    .describe("How many minutes a point has. Points begin at multiples of their length, in UTC."),
  channel: identifierSchema.optional().meta({
    description: "Only this channel. Default: all channels together, which needs the scope read or operate.",
    "x-rejections": ["channel is required"],
  }),
  created_after: timeSchema.optional().meta({
    description:
      "Only points that begin at this time or later. At most 7 days ago: minutes are kept so long. Default: the last 60 points.",
    "x-rejections": [
      tooFar,
      "must be at most 7 days ago",
      `must not be more than ${maxStatisticPoints} points`,
    ],
  }),
  created_before: timeSchema
    .optional()
    .describe(`Only points that begin before this time. Default: now. At most ${maxStatisticPoints} points.`),
})

export const attemptOutcomeSchema = z.enum(["delivered", ...attemptErrorSchema.options])

const count = z.int().min(0)

/** A count for each value of `of`. `what` completes the description of each. */
function countsBy<Value extends string>(of: { options: readonly Value[] }, what: string) {
  const counts = of.options.map((value) => [value, count.describe(`${what} ${value}.`)])
  return z.object(Object.fromEntries(counts) as Record<Value, typeof count>)
}

export const statisticPointSchema = z
  .object({
    started_at: z.iso.datetime().describe("Begin of the point, in UTC."),
    deliveries: count.describe("Deliveries that were created."),
    attempts: countsBy(attemptOutcomeSchema, "Attempts with the outcome").describe(
      "Attempts that began, by outcome: delivered, or the error class.",
    ),
    latency_ms: z
      .object({
        p50: z.number().describe("Median in ms."),
        p99: z.number().describe("99th percentile in ms."),
      })
      .nullable()
      .describe(
        "Median and 99th percentile of the attempts' durations, at most 19 % wrong. null: no attempts.",
      ),
    triggers: z
      .object({
        accepted: count.describe(
          "Triggers that schedulers recorded, up to a minute earlier or later than in this point. While no console counts, they are counted in the first minute of that time.",
        ),
        covered: count.describe(
          "Triggers that the successful syncs of this point cover. The others are covered by later syncs.",
        ),
      })
      .nullable()
      .describe("Triggers, requested syncs included. null if `channel` is given."),
    syncs: countsBy(syncSchema.shape.outcome, "Syncs with the outcome")
      .nullable()
      .describe("Syncs that began, by outcome. null if `channel` is given."),
  })
  .meta({ id: "StatisticPoint", description: "What happened in a minute, or in several." })

export const statisticsSchema = z
  .object({
    channel: z.string().nullable().describe("null: all channels."),
    counted_before: z.iso
      .datetime()
      .describe(
        "Everything before this time is counted. Later events are missing in the points. A minute is counted once, a minute after its end: attempts that are recorded later are in no point.",
      ),
    deferred: z
      .object({
        counted_at: z.iso.datetime().describe("When they were counted."),
        by_reason: countsBy(deferralReasonSchema, "Deliveries deferred for the reason").describe(
          "Number of deliveries by the reason for which they are deferred.",
        ),
      })
      .nullable()
      .describe(
        "Deliveries that were deferred when the newest minute was counted, at most a million. null: none is counted yet.",
      ),
    dead: deadDeliveriesSchema
      .extend({
        channels: z
          .array(z.object({ channel: z.string(), ...deadDeliveriesSchema.shape }))
          .describe("The 20 channels with most of them, and how many each has."),
      })
      .meta({ id: "DeadByChannel", description: "Deliveries of all channels that are dead now." })
      .nullable()
      .describe("What is dead now. null if `channel` is given."),
    total: statisticPointSchema.omit({ started_at: true }).meta({
      id: "StatisticTotal",
      description: "All points together, with the percentiles of all their attempts.",
    }),
    data: z
      .array(statisticPointSchema)
      .describe("Oldest first. Times in which nothing was counted are missing; counted ones may be 0."),
  })
  .meta({ id: "Statistics" })

export type StatisticPoint = z.infer<typeof statisticPointSchema>
export type Statistics = z.infer<typeof statisticsSchema>
