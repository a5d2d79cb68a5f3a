import { z } from "zod"
import { timeSchema, tooFar } from "../values/time.ts"
import { deadDeliveriesSchema } from "./channels.ts"
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
    .meta({
      description: "How many minutes a point has. Points begin at multiples of their length, in UTC.",
      examples: [10],
    }),
  channel: identifierSchema.optional().meta({
    description: "Only this channel. Default: all channels together, which needs the scope read or operate.",
    examples: ["acme"],
    "x-rejections": ["channel is required"],
  }),
  created_after: timeSchema.optional().meta({
    description:
      "Only points that begin at this time or later. At most 7 days ago: minutes are kept so long. Default: the last 60 points.",
    examples: ["2026-11-21T04:00:00Z"],
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

export const syncOutcomeSchema = z.enum(["running", "changed", "unchanged", "failed", "abandoned"])
export const attemptOutcomeSchema = z.enum(["delivered", ...attemptErrorSchema.options])

const count = z
  .int()
  .min(0)
  .meta({ examples: [3] })

/** A count for each value of `of`. `what` completes the description of each. */
function countsBy<Value extends string>(of: { options: readonly Value[] }, what: string) {
  const counts = of.options.map((value) => [value, count.describe(`${what} ${value}.`)])
  return z.object(Object.fromEntries(counts) as Record<Value, typeof count>)
}

export const statisticPointSchema = z
  .object({
    started_at: z.iso.datetime().describe("Begin of the point, in UTC."),
    deliveries: count.meta({ description: "Deliveries that were created.", examples: [120] }),
    attempts: countsBy(attemptOutcomeSchema, "Attempts with the outcome").describe(
      "Attempts that began, by outcome: delivered, or the error class.",
    ),
    latency_ms: z
      .object({
        p50: z.number().meta({ description: "Median in ms.", examples: [84.1] }),
        p99: z.number().meta({ description: "99th percentile in ms.", examples: [912.3] }),
      })
      .nullable()
      .meta({
        description:
          "Median and 99th percentile of the attempts' durations, at most 19 % wrong. null: no attempts.",
        examples: [{ p50: 84.1, p99: 912.3 }],
      }),
    triggers: z
      .object({
        accepted: count.meta({
          description:
            "Triggers that schedulers recorded, up to a minute earlier or later than in this point. While no console counts, they are counted in the first minute of that time.",
          examples: [7],
        }),
        covered: count.meta({
          description:
            "Triggers that the successful syncs of this point cover. The others are covered by later syncs.",
          examples: [4],
        }),
      })
      .nullable()
      .meta({
        description: "Triggers, requested syncs included. null if `channel` is given.",
        examples: [{ accepted: 7, covered: 4 }],
      }),
    syncs: countsBy(syncOutcomeSchema, "Syncs with the outcome")
      .nullable()
      .describe("Syncs that began, by outcome. null if `channel` is given."),
  })
  .meta({ id: "StatisticPoint", description: "What happened in a minute, or in several." })

export const statisticsSchema = z
  .object({
    channel: z
      .string()
      .nullable()
      .meta({ description: "null: all channels.", examples: ["acme"] }),
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
          .array(
            z.object({ channel: z.string().meta({ examples: ["acme"] }), ...deadDeliveriesSchema.shape }),
          )
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
