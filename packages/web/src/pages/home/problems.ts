import { useQueries, useQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import type { Schemas } from "../../api/client.ts"
import { channelHealthQuery, topicsQuery } from "../../api/queries.ts"
import { formatCounted, formatNumber } from "../../format.ts"
import { texts } from "../../texts.ts"
import {
  failingChannels,
  failingConnections,
  invalidToday,
  lateOrDead,
  noticed,
  pausedChannels,
} from "./problemQueries.ts"

const t = texts.problems
const behindMs = 60_000

type Link =
  | { to: "/channels/$id"; params: { id: string } }
  | { to: "/connections/$id"; params: { id: string } }
  | { to: "/deliveries/$id"; params: { id: string } }
  | { to: "/channels" | "/connections" | "/deliveries" | "/invalid-events"; search?: Record<string, string> }

/** `urgency` 1: deliveries or triggers fail now. 2: something waits or was lost to a partner. 3: good to know. */
export type CurrentProblem = {
  id: string
  urgency: 1 | 2 | 3
  title: string
  detail: string
  since: string | null
  next: string
  link: Link | null
}

/** What is known so far, most urgent first. `complete`: everything was checked. */
export function useProblems(): { problems: CurrentProblem[]; complete: boolean; errors: unknown[] } {
  const { operates } = useAccess()
  const channels = useQuery(failingChannels)
  const healths = useQueries({
    queries: (channels.data?.data ?? []).map(({ id }) => channelHealthQuery(id)),
  })
  const paused = useQuery(pausedChannels)
  const connections = useQuery(failingConnections)
  const invalid = useQuery(invalidToday)
  const topics = useQuery(topicsQuery)
  const late = useQuery(lateOrDead)
  const notices = useQuery(noticed)
  const answers = [channels, paused, connections, invalid, topics, late, notices]
  const errors = answers.flatMap(({ error }) => (error ? [error] : []))

  const problems = [
    ...(channels.data?.data ?? []).map((channel, index) => failingChannel(channel, healths[index]?.data)),
    ...(late.data?.oldest_overdue ? [overdueDelivery(late.data.oldest_overdue)] : []),
    ...(topics.data?.data ?? []).flatMap(behind),
    ...(connections.data?.data ?? []).map(failingConnection),
    ...(notices.data?.data ?? []).flatMap(notice),
    ...(paused.data?.data ?? []).map((channel) => pausedChannel(channel, operates)),
    ...(late.data?.dead ? deadDeliveries(late.data.dead, operates) : []),
    ...(invalid.data && invalid.data.count > 0 ? [invalidEvents(invalid.data, operates)] : []),
  ]
  return {
    problems: problems.toSorted((a, b) => a.urgency - b.urgency),
    complete: answers.every(({ isSuccess }) => isSuccess),
    errors,
  }
}

function failingChannel({ id }: Schemas["Channel"], health?: Schemas["ChannelHealth"]): CurrentProblem {
  const opened = (health?.dispatchers ?? [])
    .flatMap(({ breaker_opened_at: at }) => (at ? [at] : []))
    .toSorted()
  const failure = health?.last_failure
  const waiting =
    (health?.scheduled.count ?? 0) + (health?.deferred ?? []).reduce((sum, { count }) => sum + count, 0)
  const how = failure
    ? failure.status === null
      ? texts.errors[failure.error]
      : t.responds(failure.status)
    : t.failsOften
  return {
    id: `channel ${id}`,
    urgency: 1,
    title: t.channelFails(id),
    detail: [how, opened.length > 0 ? t.breakerOpen : null, t.waiting(formatNumber(waiting), waiting === 1)]
      .filter((part) => part !== null)
      .join(" "),
    since: opened[0] ?? failure?.at ?? null,
    next: t.channelNext,
    link: { to: "/channels/$id", params: { id } },
  }
}

function overdueDelivery({
  delivery,
  channel,
  due_at,
}: NonNullable<Schemas["Statistics"]["oldest_overdue"]>): CurrentProblem {
  return {
    id: "overdue",
    urgency: 1,
    title: t.overdue(channel),
    detail: t.overdueDetail,
    since: due_at,
    next: t.overdueNext,
    link: { to: "/deliveries/$id", params: { id: delivery } },
  }
}

/** Records of retry topics wait for their delay, and are not overdue. */
function behind(topic: Schemas["Topic"]): CurrentProblem[] {
  if (topic.name.includes(".retry.") || topic.group === null) return []
  const problem = { id: `topic ${topic.name}`, urgency: 1, detail: topic.purpose, link: null } as const
  if (topic.records === null)
    return [
      {
        ...problem,
        title: t.noTopic(topic.name),
        since: null,
        next: t.noTopicNext,
      },
    ]
  if (topic.lag === null)
    return [
      {
        ...problem,
        title: t.noConsumer(topic.name),
        since: topic.oldest_unread_at,
        next: t.noConsumerNext(topic.group),
      },
    ]
  const oldest = topic.oldest_unread_at
  if (topic.lag === 0 || oldest === null || Date.now() - Date.parse(oldest) < behindMs) return []
  return [
    {
      ...problem,
      title: t.lag(topic.name, formatNumber(topic.lag), topic.lag === 1),
      since: oldest,
      next: t.lagNext(topic.group),
    },
  ]
}

function failingConnection({ id, site, last_reason, failing_since }: Schemas["Connection"]): CurrentProblem {
  return {
    id: `connection ${id}`,
    urgency: 2,
    title: t.connectionFails(id),
    detail: t.connectionDetail(site, last_reason ?? ""),
    since: failing_since,
    next: t.connectionNext,
    link: { to: "/connections/$id", params: { id } },
  }
}

function notice({
  id,
  event,
  subject,
  summary,
  next_step,
  since,
}: Schemas["Notification"]): CurrentProblem[] {
  if (event !== "certificate.expiring" && event !== "rotation.unfinished") return []
  const link =
    subject.kind === "channel" ? ({ to: "/channels/$id", params: { id: subject.id } } as const) : null
  const next = link ? t.seeChannel : ""
  return [{ id, urgency: 2, title: summary, detail: next_step, since, next, link }]
}

function pausedChannel({ id, paused_at }: Schemas["Channel"], operates: boolean): CurrentProblem {
  return {
    id: `paused ${id}`,
    urgency: 3,
    title: t.paused(id),
    detail: t.pausedDetail,
    since: paused_at,
    next: operates ? t.pausedNext : t.seeChannel,
    link: { to: "/channels/$id", params: { id } },
  }
}

function deadDeliveries(
  { count, created_after, channels }: Schemas["DeadByChannel"],
  operates: boolean,
): CurrentProblem[] {
  const next = operates ? t.deadNext : t.seeThem
  const problem = { urgency: 2, detail: t.deadDetail, since: null, next } as const
  const others = count - channels.reduce((sum, { count: listed }) => sum + listed, 0)
  return [
    ...channels.map(
      ({ channel, ...dead }): CurrentProblem => ({
        ...problem,
        id: `dead ${channel}`,
        title: t.dead(formatCounted(dead.count), dead.count === 1, channel),
        link: { to: "/deliveries", search: { channel, state: "dead", created_after: dead.created_after } },
      }),
    ),
    ...(others > 0
      ? [
          {
            ...problem,
            id: "dead",
            title: t.dead(formatCounted(others), others === 1, t.otherChannels),
            link: { to: "/deliveries", search: { state: "dead", created_after } } as const,
          },
        ]
      : []),
  ]
}

function invalidEvents(
  { count, more, newest }: { count: number; more: boolean; newest: string },
  operates: boolean,
): CurrentProblem {
  return {
    id: "invalid",
    urgency: 2,
    title: t.invalid(count, more),
    detail: t.invalidDetail(newest),
    since: null,
    next: operates ? t.invalidNext : t.seeThem,
    link: { to: "/invalid-events" },
  }
}
