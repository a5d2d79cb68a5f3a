import { z } from "zod"
import { channelHealthStateSchema, deadDeliveriesSchema } from "./channels.ts"
import { attemptErrorSchema, deferralReasonSchema } from "./deliveries.ts"

const milliseconds = (description: string) =>
  z.number().nullable().describe(`${description} null: no attempt.`)

const attemptStatisticsSchema = z
  .object({
    attempts: z.int().describe("Attempts that started in this time."),
    succeeded: z.int().describe("Of these, those with a 2xx status in time."),
    success_rate: z.number().min(0).max(1).nullable().describe("From 0 to 1. null: no attempt."),
    latency_p50_ms: milliseconds("Median duration of the attempts, failed ones included."),
    latency_p99_ms: milliseconds("99th percentile of the duration of the attempts, failed ones included."),
  })
  .meta({
    id: "AttemptStatistics",
    description: "The channel's attempts in an hour or a day. Latencies are exact to 19 %.",
  })

const dispatcherStatusSchema = z
  .object({
    id: z.string().describe("The dispatcher, as in the first line of its log."),
    breaker: z
      .enum(["closed", "open"])
      .describe("open: after many failures in a row only single probes are sent."),
    breaker_opened_at: z.iso.datetime().nullable().describe("null: closed."),
    failures: z
      .int()
      .nullable()
      .describe("Failed attempts in a row. null: the dispatcher reports nothing unusual."),
    concurrency_limit: z
      .int()
      .nullable()
      .describe(
        "The most attempts at the same time, which adapts to the partner. null: the dispatcher reports nothing unusual.",
      ),
    in_flight: z
      .int()
      .nullable()
      .describe(
        "Attempts in flight at `updated_at`, those included whose delivery is not stored yet. null: the dispatcher reports nothing unusual, such as an attempt that takes longer than half a second.",
      ),
    average_ms: z
      .int()
      .nullable()
      .describe("Average duration of the newest attempts. null: the dispatcher reports nothing unusual."),
    updated_at: z.iso.datetime().describe("When this was reported. A report is at most a few seconds old."),
  })
  .meta({ id: "DispatcherStatus", description: "A channel's state in one running dispatcher." })

const deferredSchema = z.object({
  reason: deferralReasonSchema,
  count: z.int().describe("How many deliveries."),
  since: z.iso.datetime().describe("When the oldest was deferred."),
})

const lastAttempt = {
  delivery: z.uuid(),
  at: z.iso.datetime().describe("When the attempt started."),
  status: z.int().nullable().describe("null: no response."),
}

export const channelHealthSchema = z
  .object({
    channel: z.string(),
    health: channelHealthStateSchema.describe(
      "failing: its last three attempts failed, or its last one was a delivery's last, and no test has succeeded since.",
    ),
    failing_since: z.iso
      .datetime()
      .nullable()
      .describe("When the first failed attempt after its last success started. null: not failing."),
    paused_at: z.iso.datetime().nullable().describe("null: not paused."),
    max_per_second: z.int().nullable().describe("null: no maximum."),
    dispatchers: z
      .array(dispatcherStatusSchema)
      .nullable()
      .describe(
        "The running dispatchers. Empty: none was seen in the last minute. null: only operators see them.",
      ),
    deferred: z
      .array(deferredSchema)
      .describe(
        "Deliveries that wait for the channel's capacity, by reason. The oldest 100,000 are counted.",
      ),
    scheduled: z
      .object({
        count: z.int().describe("How many deliveries."),
        next_attempt_at: z.iso
          .datetime()
          .nullable()
          .describe("The first of those that are counted. null: none is scheduled."),
      })
      .describe(
        "Deliveries whose last attempt failed and whose retry has a time. Up to 100,000 are counted.",
      ),
    dead: deadDeliveriesSchema,
    retry_period_ms: z.int().describe("A delivery that still fails after this time becomes dead."),
    counted_before: z.iso
      .datetime()
      .describe("The end of `last_hour` and `last_day`: a minute is counted a minute after its end."),
    last_hour: attemptStatisticsSchema,
    last_day: attemptStatisticsSchema,
    responses: z
      .array(
        z.object({
          status: lastAttempt.status,
          error: attemptErrorSchema.nullable().describe("null: the attempts succeeded."),
          attempts: z.int().describe("How many."),
        }),
      )
      .describe(
        "What came back in the last day, most frequent first: the newest 10 attempts of each of the newest 500 deliveries.",
      ),
    last_success: z
      .object(lastAttempt)
      .nullable()
      .describe("The newest attempt that succeeded. null: none in the last 7 days."),
    last_failure: z
      .object({
        ...lastAttempt,
        error: attemptErrorSchema,
        detail: z.string().nullable().describe("As in the delivery's attempt log."),
      })
      .nullable()
      .describe("The newest attempt that failed in the last day. null: none."),
  })
  .meta({ id: "ChannelHealth", description: "How deliveries to a channel go, now and in the last day." })

export type ChannelHealth = z.infer<typeof channelHealthSchema>
export type AttemptStatistics = z.infer<typeof attemptStatisticsSchema>
