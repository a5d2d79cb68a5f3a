import type { AttemptStatistics, ChannelHealth } from "@sitewire/contracts"
import { deferredOf, scheduledOf } from "@sitewire/contracts/partnerMessage"
import { deadCount, fields } from "@sitewire/contracts/views"
import { fieldTable } from "../../derive/viewText.ts"
import { block, type Entry } from "../../output/block.ts"
import type { Style } from "../../output/style.ts"
import { duration, localTime, relativeTime } from "../../output/time.ts"

export function healthBlock(health: ChannelHealth, style: Style): string {
  const { last_success: success, last_failure: failure, dispatchers } = health
  const facts = block(style, [
    ["channel", health.channel],
    ["health", health.health],
    ["paused", health.paused_at && style.time(health.paused_at)],
    ["maximum rate", health.max_per_second === null ? null : `${health.max_per_second} per second`],
    ...backlogEntries(health, style),
    [
      "dead",
      health.dead.count === 0
        ? null
        : `${deadCount(health.dead.count)}, created since ${style.time(health.dead.created_after)}`,
    ],
    ["counted until", style.time(health.counted_before)],
    ["last hour", describeStatistics(health.last_hour)],
    ["last day", describeStatistics(health.last_day)],
    [
      "newest responses",
      health.responses.map(({ attempts, ...response }) => `${describe(response)}: ${attempts}`).join(", ") ||
        null,
    ],
    [
      "last success",
      success ? `${style.time(success.at)}: delivery ${success.delivery}` : "none in the last 7 days",
    ],
    [
      "last failure",
      failure
        ? `${style.time(failure.at)}: ${describe(failure)}, delivery ${failure.delivery}`
        : "none in the last day",
    ],
  ])
  if (dispatchers === null) return facts
  if (dispatchers.length === 0)
    return `${facts}\n\nNo dispatcher is running: none has reported within the last minute.`
  return `${facts}\n\n${fieldTable(columns, dispatchers, style)}`
}

const columns = fields<NonNullable<ChannelHealth["dispatchers"]>[number]>(
  ["id", { label: "dispatcher", as: "text" }],
  "breaker",
  [
    "breaker_opened_at",
    {
      ...{ label: "open since", as: "text" },
      value: ({ breaker_opened_at: at }, now) => at && `${localTime(at)} (${relativeTime(at, now)})`,
    },
  ],
  ["failures", { label: "failures in a row" }],
  "in_flight",
  ["concurrency_limit", { label: "limit" }],
  ["average_ms", { label: "average" }],
)

function backlogEntries(health: ChannelHealth, style: Style): Entry[] {
  const { count, more } = scheduledOf(health)
  const next = health.scheduled.next_attempt_at
  return [
    ...health.deferred.map(
      ({ reason, count, since }): Entry => [`deferred, ${reason}`, `${count}, since ${style.time(since)}`],
    ),
    ["deferred", deferredOf(health).more ? "perhaps more: only the oldest are counted" : null],
    [
      "scheduled retries",
      next === null ? null : `${count}${more ? " or more" : ""}, the next ${style.time(next)}`,
    ],
  ]
}

function describeStatistics(statistics: AttemptStatistics): string {
  const { attempts, succeeded, success_rate: rate, latency_p50_ms: p50, latency_p99_ms: p99 } = statistics
  if (rate === null || p50 === null || p99 === null) return "no attempts"
  // Rounded down, so that 100 % means that all succeeded.
  const percent = Math.floor(rate * 1_000) / 10
  return `${succeeded} of ${attempts} attempts succeeded (${percent} %); p50 ${duration(p50)}, p99 ${duration(p99)}`
}

const describe = ({
  error,
  status,
  detail = null,
}: {
  error: string | null
  status: number | null
  detail?: string | null
}) => [error, status, detail].filter((part) => part !== null).join(" ")
