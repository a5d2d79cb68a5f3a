import type { Job } from "@sitewire/contracts"
import { formatNumber } from "../../format.ts"

const groups: { title: string; names: Record<string, string> }[] = [
  {
    title: "deliveries",
    names: {
      resent: "sent again",
      left_out: "left out (erased, or channel deleted)",
      deliveries_erased: "erased",
      excerpts_erased: "responses of partners erased",
      previous_contents_deleted: "earlier contents of connections deleted",
      contacts_deleted: "contacts of channels deleted",
      scanned: "read",
    },
  },
  {
    title: "events",
    names: {
      events: "read",
      read: "read",
      replayed: "published again",
      events_left_out: "left out (erased)",
      events_delivered: "delivered",
      events_pending: "pending",
      events_dead: "dead",
      events_cancelled: "cancelled",
      events_erased: "erased",
      events_invalid: "invalid",
      events_unconsumed: "not consumed yet",
      events_expired: "older than the stored deliveries",
      events_differing: "not delivered: another event had their id",
      events_repeated: "published more than once",
    },
  },
  {
    title: "triggers",
    names: {
      triggers: "read",
      later_triggers: "read after the period",
      triggers_covered: "covered by a sync",
      triggers_pending: "waiting for a sync",
      triggers_unconsumed: "not consumed yet",
      triggers_without_connection: "without a connection",
      triggers_invalid: "invalid",
    },
  },
  {
    title: "records",
    names: { exceptions: "not accounted for" },
  },
]

type Counted = Pick<Job, "kind" | "counts">

const named = new Set(groups.flatMap(({ names }) => Object.keys(names)))

/** What a job has done, in groups with plain names. A count that has none here, of a newer console, keeps its own. */
export function groupCounts({ kind, counts }: Counted): { title: string; figures: [string, number][] }[] {
  const { left_out, ...rest } = counts
  // A resend leaves out deliveries, and a replay events.
  const all = {
    ...rest,
    ...(left_out !== undefined && { [kind === "replay" ? "events_left_out" : "left_out"]: left_out }),
  }
  const figuresOf = (names: Record<string, string>) =>
    Object.entries(names).flatMap(([name, text]): [string, number][] => {
      const count = all[name]
      return count === undefined ? [] : [[text, count]]
    })
  const others = Object.entries(all).flatMap(([name, count]): [string, number][] =>
    named.has(name) ? [] : [[name.replaceAll("_", " "), count]],
  )
  return [
    ...groups.map(({ title, names }) => ({ title, figures: figuresOf(names) })),
    { title: "others", figures: others },
  ].filter(({ figures }) => figures.length > 0)
}

/** How many of its deliveries, events or records a job has finished with. */
export function doneOf({
  resent = 0,
  replayed = 0,
  left_out = 0,
  scanned = 0,
  events = 0,
  triggers = 0,
}: Job["counts"]) {
  return resent + replayed + left_out + scanned + events + triggers
}

/** Such as `Deliveries: 1,204 sent again, 2 left out`. */
export function describeCounts(job: Counted): string {
  const parts = groupCounts(job).flatMap(({ title, figures }) => {
    const done = figures.filter(([, count]) => count > 0)
    return done.length === 0 ? [] : [`${title}: ${done.map(describe).join(", ")}`]
  })
  return parts.length === 0 ? "–" : parts.join("; ")
}

const describe = ([name, count]: [string, number]) => `${formatNumber(count)} ${name}`

/** A job lists only the first records that it found. `all`: how many it found. */
export function titleOfList(title: string, listed: number, all = listed): string {
  return listed < all ? `${title}: the first ${formatNumber(listed)} of ${formatNumber(all)}` : title
}
