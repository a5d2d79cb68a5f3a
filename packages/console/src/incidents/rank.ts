import { incidentKinds } from "./incidentKinds.ts"

function hasUrgency(urgency: 1 | 3): string {
  const kinds = Object.entries(incidentKinds).filter(([, kind]) => kind.urgency === urgency)
  return `(kind = any ('{${kinds.map(([name]) => name).join(",")}}'))::int`
}
const count = (detail: string) => `lpad(coalesce(details ->> '${detail}', '0'), 9, '0')`

/**
 * SQL for a text by which open incidents are in descending order: those that nobody has acknowledged, our own faults, and then by
 * what is lost: dead deliveries, waiting ones, and the age.
 */
export const rank = `concat((acknowledged_at is null)::int, ${hasUrgency(1)}, 1 - ${hasUrgency(3)},
  ${count("dead")}, ${count("waiting")}, lpad((9999999999 - extract(epoch from since)::bigint)::text, 10, '0'))`

/** SQL that leaves one open incident for each partner: dead deliveries of a channel that fails are part of its failing. */
export const isPartOfNone = `not (kind = 'delivery.dead' and subject_id in (
  select subject_id from incident where kind = 'channel.failing' and resolved_at is null))`
