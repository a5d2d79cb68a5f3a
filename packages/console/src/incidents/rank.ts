import type { IncidentKind } from "@sitewire/contracts"

/** 1: our own fault. 2: something of a partner or a publisher fails, waits or is lost. 3: nothing fails yet. */
const urgencies: Record<1 | 3, IncidentKind[]> = {
  1: [
    "postgres.unavailable",
    "kafka.unavailable",
    "dispatcher.missing",
    "delivery.overdue",
    "sync.overdue",
    "topic.missing",
    "topic.behind",
  ],
  3: ["certificate.expiring", "rotation.unfinished", "channel.paused"],
}

export function urgencyOf(kind: IncidentKind): 1 | 2 | 3 {
  if (urgencies[1].includes(kind)) return 1
  return urgencies[3].includes(kind) ? 3 : 2
}

const isOne = (kinds: IncidentKind[]) => `(kind = any ('{${kinds.join(",")}}'))::int`
const count = (detail: string) => `lpad(coalesce(details ->> '${detail}', '0'), 9, '0')`

/**
 * SQL for a text by which open incidents are in descending order: those that nobody has acknowledged, our own faults, and then by
 * what is lost: dead deliveries, waiting ones, and the age.
 */
export const rank = `concat((acknowledged_at is null)::int, ${isOne(urgencies[1])}, 1 - ${isOne(urgencies[3])},
  ${count("dead")}, ${count("waiting")}, lpad((9999999999 - extract(epoch from since)::bigint)::text, 10, '0'))`

/** SQL that leaves one open incident for each partner: dead deliveries of a channel that fails are part of its failing. */
export const isPartOfNone = `not (kind = 'delivery.dead' and subject_id in (
  select subject_id from incident where kind = 'channel.failing' and resolved_at is null))`
