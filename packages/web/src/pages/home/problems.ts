import { waitingOf } from "@sitewire/contracts/partnerMessage"
import { useQueries, useQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import type { Schemas } from "../../api/client.ts"
import { channelHealthQuery, topicsQuery } from "../../api/queries.ts"
import { formatCounted, formatNumber } from "../../format.ts"
import { texts } from "../../texts.ts"
import { firstOf } from "./firstOf.ts"
import {
  failingChannels,
  failingConnections,
  invalidToday,
  lateOrDead,
  openProblems,
  pausedChannels,
} from "./problemQueries.ts"

const t = texts.problems

type Link =
  | { to: "/channels/$id"; params: { id: string } }
  | { to: "/connections/$id"; params: { id: string } }
  | { to: "/deliveries/$id"; params: { id: string } }
  | { to: "/channels" | "/connections" | "/deliveries" | "/invalid-events"; search?: Record<string, string> }

type Stored = Schemas["OperatorProblem"]

/** `urgency` 1: deliveries or triggers fail now. 2: something waits or was lost to a partner. 3: good to know. */
export type CurrentProblem = {
  id: string
  urgency: 1 | 2 | 3
  /** Which stored problem it is. Without a subject: the only one of its kind. */
  kind: Stored["kind"]
  subject?: string
  /** Undefined: it was not noticed by the console yet, or it is one of too many. */
  stored?: Stored | undefined
  title: string
  detail: string
  since: string | null
  next: string
  link: Link | null
}

/** What is known so far, most urgent first, and last what somebody cares for. `complete`: everything was checked. */
export function useProblems(): { problems: CurrentProblem[]; complete: boolean; errors: unknown[] } {
  const { operates } = useAccess()
  const channels = useQuery(failingChannels)
  const healths = useQueries({
    queries: firstOf(channels.data).first.map(({ id }) => channelHealthQuery(id)),
  })
  const paused = useQuery(pausedChannels)
  const connections = useQuery(failingConnections)
  const invalid = useQuery(invalidToday)
  const topics = useQuery(topicsQuery)
  const late = useQuery(lateOrDead)
  const stored = useQuery(openProblems)
  const answers = [channels, ...healths, paused, connections, invalid, topics, late, stored]
  const errors = new Map(answers.flatMap(({ error }) => (error ? [[String(error), error]] : [])))

  const problems: CurrentProblem[] = [
    ...listed(
      channels.data,
      (channel, index) => failingChannel(channel, healths[index]?.data),
      otherFailingChannels,
    ),
    ...(late.data?.oldest_overdue ? [overdueDelivery(late.data.oldest_overdue)] : []),
    ...(topics.data?.data ?? []).flatMap(behind),
    ...listed(connections.data, failingConnection, otherFailingConnections),
    ...(stored.data ?? []).flatMap(notice),
    ...listed(paused.data, (channel) => pausedChannel(channel, operates), otherPausedChannels),
    ...(late.data?.dead ? deadDeliveries(late.data.dead, operates) : []),
    ...(invalid.data && invalid.data.count > 0 ? [invalidEvents(invalid.data, operates)] : []),
  ]
  return {
    problems: problems
      .map((problem) => ({ ...problem, stored: storedOf(problem, stored.data ?? []) }))
      .map((problem) => ({ ...problem, since: sinceOf(problem) }))
      .toSorted((a, b) => Number(isAcknowledged(a)) - Number(isAcknowledged(b)) || a.urgency - b.urgency),
    complete: answers.every(({ isSuccess }) => isSuccess),
    errors: [...errors.values()],
  }
}

function storedOf({ kind, subject }: CurrentProblem, all: readonly Stored[]): Stored | undefined {
  return all.find((one) => one.kind === kind && (subject === undefined || one.subject.id === subject))
}

/**
 * Since when a channel fails, the console knows: a circuit breaker opens again after a restart, and the last failure is
 * only the newest.
 */
function sinceOf({ kind, since, stored }: CurrentProblem): string | null {
  return kind === "channel.failing" ? (stored?.since ?? since) : since
}

export const isAcknowledged = ({ stored }: CurrentProblem) => Boolean(stored?.acknowledgement)

function failingChannel({ id }: Schemas["Channel"], health?: Schemas["ChannelHealth"]): CurrentProblem {
  const opened = (health?.dispatchers ?? [])
    .flatMap(({ breaker_opened_at: at }) => (at ? [at] : []))
    .toSorted()
  const failure = health?.last_failure
  const waiting = health && waitingOf(health)
  const how = failure
    ? failure.status === null
      ? texts.errors[failure.error]
      : t.responds(failure.status)
    : t.failsOften
  return {
    id: `channel ${id}`,
    urgency: 1,
    kind: "channel.failing",
    subject: id,
    title: t.channelFails(id),
    detail: [
      how,
      opened.length > 0 ? t.breakerOpen : null,
      waiting ? t.waiting(formatCounted(waiting.count, waiting.more), waiting.count === 1) : null,
    ]
      .filter((part) => part !== null)
      .join(" "),
    since: opened[0] ?? null,
    next: t.channelNext,
    link: { to: "/channels/$id", params: { id } },
  }
}

type Others = Pick<CurrentProblem, "kind" | "urgency" | "link"> & {
  title: (count: string, one: boolean) => string
}

const otherFailingChannels: Others = {
  kind: "channel.failing",
  urgency: 1,
  title: t.otherChannelsFail,
  link: { to: "/channels", search: { health: "failing" } },
}
const otherFailingConnections: Others = {
  kind: "connection.failing",
  urgency: 2,
  title: t.otherConnectionsFail,
  link: { to: "/connections", search: { state: "failing" } },
}
const otherPausedChannels: Others = {
  kind: "channel.paused",
  urgency: 3,
  title: t.otherChannelsPaused,
  link: { to: "/channels", search: { paused: "true" } },
}

/** A problem for each of the first of a list, and one for the others, which links to all of them. */
function listed<T>(
  page: { data: T[]; next_cursor: string | null } | undefined,
  problemOf: (row: T, index: number) => CurrentProblem,
  { title, ...rest }: Others,
): CurrentProblem[] {
  const { first, others } = firstOf(page)
  const problems = first.map(problemOf)
  if (others !== null)
    problems.push({
      ...rest,
      id: `others ${rest.kind}`,
      subject: "*",
      title: title(others, others === "1"),
      detail: t.othersDetail,
      since: null,
      next: t.seeThem,
    })
  return problems
}

function overdueDelivery({
  delivery,
  channel,
  due_at,
}: NonNullable<Schemas["Statistics"]["oldest_overdue"]>): CurrentProblem {
  return {
    id: "overdue",
    urgency: 1,
    kind: "delivery.overdue",
    title: t.overdue(channel),
    detail: t.overdueDetail,
    since: due_at,
    next: t.overdueNext,
    link: { to: "/deliveries/$id", params: { id: delivery } },
  }
}

function behind(topic: Schemas["Topic"]): CurrentProblem[] {
  const { name, group } = topic
  const problem = {
    id: `topic ${name}`,
    urgency: 1,
    subject: name,
    detail: topic.purpose,
    link: null,
  } as const
  if (topic.records === null)
    return [
      {
        ...problem,
        kind: "topic.missing",
        title: t.noTopic(name),
        since: null,
        next: t.noTopicNext,
      },
    ]
  if (!topic.behind || topic.lag === null || group === null) return []
  const blocked = topic.partitions.find(
    ({ open_transaction: open }) => open?.since === topic.oldest_unread_at,
  )
  const transaction = blocked?.open_transaction
  return [
    {
      ...problem,
      kind: "topic.behind",
      title: t.lag(name, formatNumber(topic.lag), topic.lag === 1),
      since: topic.oldest_unread_at,
      next:
        blocked && transaction
          ? t.blockedNext(blocked.partition, transaction.first_offset)
          : t.lagNext(group),
    },
  ]
}

/** Those of one host are one stored problem. */
function failingConnection({
  id,
  site,
  source,
  last_reason,
  failing_since,
}: Schemas["Connection"]): CurrentProblem {
  return {
    id: `connection ${id}`,
    urgency: 2,
    kind: "connection.failing",
    subject: new URL(source).host,
    title: t.connectionFails(id),
    detail: t.connectionDetail(site, last_reason ?? ""),
    since: failing_since,
    next: t.connectionNext,
    link: { to: "/connections/$id", params: { id } },
  }
}

function notice({ id, kind, subject, summary, next_step, since }: Stored): CurrentProblem[] {
  if (kind !== "certificate.expiring" && kind !== "rotation.unfinished") return []
  const link =
    subject.kind === "channel" && subject.id !== "*"
      ? ({ to: "/channels/$id", params: { id: subject.id } } as const)
      : null
  const next = link ? t.seeChannel : ""
  return [{ id, urgency: 2, kind, subject: subject.id, title: summary, detail: next_step, since, next, link }]
}

function pausedChannel({ id, paused_at }: Schemas["Channel"], operates: boolean): CurrentProblem {
  return {
    id: `paused ${id}`,
    urgency: 3,
    kind: "channel.paused",
    subject: id,
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
  const problem = {
    urgency: 2,
    kind: "delivery.dead",
    detail: t.deadDetail,
    since: null,
    next,
  } as const
  const others = count - channels.reduce((sum, { count: listed }) => sum + listed, 0)
  return [
    ...channels.map(
      ({ channel, ...dead }): CurrentProblem => ({
        ...problem,
        id: `dead ${channel}`,
        subject: channel,
        title: t.dead(formatCounted(dead.count), dead.count === 1, channel),
        link: { to: "/deliveries", search: { channel, state: "dead", created_after: dead.created_after } },
      }),
    ),
    ...(others > 0
      ? [
          {
            ...problem,
            id: "dead",
            subject: "*",
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
    kind: "event.invalid",
    title: t.invalid(count, more),
    detail: t.invalidDetail(newest),
    since: null,
    next: operates ? t.invalidNext : t.seeThem,
    link: { to: "/invalid-events" },
  }
}
