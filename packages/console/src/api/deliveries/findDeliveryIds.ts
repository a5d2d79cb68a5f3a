import {
  clockMarginMs,
  type DeliveryQuery,
  deliveryStateSchema,
  lowestDeliveryId,
  referenceDigest,
  searchKeys,
  searchTimeBytes,
  siteDigest,
  timeOfDeliveryId,
} from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { statesAndErrors } from "../../deliveries/deliveryResponse.ts"

export type DeliverySearch = Omit<DeliveryQuery, "cursor" | "limit" | "channel"> & {
  /** Null: of all channels. */
  channels: readonly string[] | null
  /** Only ids below this one. */
  before: string | undefined
  count: number
}

type Bind = (value: unknown) => string

/**
 * One way to find matching rows: an index, and a list of probes. A probe is a value whose entries in the index
 * are in the order of ids.
 */
type Branch = {
  probes: string
  condition: string
  /** Conditions of the search that `condition` implies. If the statement repeated them, Postgres would estimate too
   * few rows, and read and sort them all. */
  implies: (keyof DeliverySearch)[]
  /** The rows that are searched, newest first, if they are not all deliveries: SQL for their ids. */
  waiting?: string
}

/**
 * The newest deliveries that match all conditions, newest first. The most selective condition chooses the index.
 * Each probe reads the newest `count` matching rows, and the union of all probes is sorted.
 */
export async function findDeliveryIds(sql: Sql, search: DeliverySearch): Promise<string[]> {
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const keys = await keysOf(sql, search)
  const count = bind(search.count)
  const branches = branchesOf(search, keys, bind).map(({ probes, condition, implies, waiting }) => {
    const where = [condition, ...conditionsOf(search, implies, bind)].join(" and ")
    // "offset 0" keeps Postgres from another plan: it would read all deliveries, newest first.
    const matching =
      waiting === undefined
        ? `select id from delivery where ${where}`
        : `select waiting.id from (${waiting} offset 0) as waiting
            cross join lateral (select from delivery where delivery.id = waiting.id and ${where} offset 0) as delivery`
    return `(select found.id from ${probes} cross join lateral (
               ${matching} order by id desc limit ${count}) as found)`
  })
  const rows = await sql<{ id: string }>(
    `select id from (${branches.join(" union all ")}) as found order by id desc limit ${count}`,
    values,
  )
  return rows.map(({ id }) => id)
}

/** The conditions that are checked in the rows that an index finds. */
function conditionsOf(search: DeliverySearch, implied: Branch["implies"], bind: Bind): string[] {
  const { created_after, created_before, reference, site_url } = search
  const { from, to } = timesOf(search)
  const sql: { [Name in keyof DeliverySearch]?: () => string[] } = {
    before: () => [`id < ${bind(search.before)}::uuid`],
    channels: () => [`channel_id = any(${bind(search.channels)}::text[])`],
    state: () => [`state = ${bind(search.state)}::delivery_state`],
    event_id: () => [`id = (select delivery_id from known_event where event_id = ${bind(search.event_id)})`],
    waiting_for: () => [
      `exists (select from waiting_delivery where delivery_id = delivery.id and ${isWaitingFor(search.waiting_for, bind)})`,
    ],
    job: () => [`last_job = ${bind(search.job)}`],
    error: () => [`last_error = ${bind(search.error)}`],
    reference: () => [endsWith("reference_key", bind(referenceDigest(reference ?? "")))],
    site_url: () => [endsWith("site_key", bind(siteDigest(site_url ?? "")))],
    // The range of ids, widened for clock skew, only narrows the scan. `created_at` is exact.
    created_after: () => [
      `id >= ${bind(lowestDeliveryId(from ?? 0))}::uuid and created_at >= ${bind(created_after)}::timestamptz`,
    ],
    created_before: () => [
      `id < ${bind(lowestDeliveryId(to ?? 0))}::uuid and created_at < ${bind(created_before)}::timestamptz`,
    ],
  }
  return Object.entries(sql).flatMap(([name, conditions]) => {
    const given = search[name as keyof DeliverySearch]
    return given === undefined || given === null || implied.includes(name as keyof DeliverySearch)
      ? []
      : conditions()
  })
}

function isWaitingFor(what: DeliverySearch["waiting_for"], bind: Bind): string {
  if (what === "retry") return "next_attempt_at is not null"
  return `deferred_reason = ${bind(what)}::deferral_reason`
}

const endsWith = (column: string, digest: string) =>
  `substring(${column} from ${searchTimeBytes + 1}) = ${digest}`

/** The range of times that ids may contain. */
function timesOf({ created_after, created_before }: DeliverySearch) {
  return {
    from: created_after === undefined ? undefined : Date.parse(created_after) - clockMarginMs,
    to: created_before === undefined ? undefined : Date.parse(created_before) + clockMarginMs,
  }
}

function branchesOf(search: DeliverySearch, keys: Buffer[], bind: Bind): Branch[] {
  const { channels, error, state, waiting_for, job, before } = search
  const all: Branch = { probes: "(select) as one", condition: "true", implies: [] }
  if (search.event_id !== undefined) return [all]
  if (search.site_url !== undefined) return [keyBranch("site_key", "site_url", bind(keys))]
  if (search.reference !== undefined) return [keyBranch("reference_key", "reference", bind(keys))]
  const inChannels = (branch: Branch): Branch => {
    const { probes, condition, implies } = branch
    if (channels === null) return branch
    return {
      ...branch,
      probes: `${probes} cross join unnest(${bind(channels)}::text[]) as visible (channel)`,
      condition: `channel_id = visible.channel and ${condition}`,
      implies: [...implies, "channels"],
    }
  }
  if (job !== undefined) {
    const states = state === undefined ? deliveryStateSchema.options : [state]
    return [
      inChannels({
        probes: `unnest(${bind(states)}::delivery_state[]) as probe (state)`,
        condition: `last_job = ${bind(job)} and delivery.state = probe.state`,
        implies: ["job", "state"],
      }),
    ]
  }
  if (waiting_for !== undefined) {
    const conditions = [
      isWaitingFor(waiting_for, bind),
      ...(before === undefined ? [] : [`delivery_id < ${bind(before)}::uuid`]),
      ...(channels === null ? [] : ["channel_id = visible.channel"]),
    ]
    const waiting = `select delivery_id as id from waiting_delivery where ${conditions.join(" and ")} order by delivery_id desc`
    const branch = inChannels({ ...all, implies: ["waiting_for", "before"] })
    return [{ ...branch, condition: "true", waiting }]
  }
  // Most deliveries are delivered and have no error, so they are found fast among all.
  if (error === undefined && (state === undefined || state === "delivered")) return [inChannels(all)]
  return [
    inChannels({
      probes: `unnest(${bind(statesAndErrors(state, error))}::text[]) as probe (state_error)`,
      condition: "state_error = probe.state_error",
      implies: ["state", "error"],
    }),
  ]
}

function keyBranch(column: string, condition: "site_url" | "reference", keys: string): Branch {
  return {
    probes: `unnest(${keys}::bytea[]) as probe (key)`,
    condition: `${column} = probe.key`,
    implies: [condition],
  }
}

async function keysOf(sql: Sql, search: DeliverySearch): Promise<Buffer[]> {
  const { reference, site_url, before } = search
  if (search.event_id !== undefined || (reference === undefined && site_url === undefined)) return []
  const [oldest] = await sql<{ id: string }>("select id from delivery order by id limit 1")
  if (!oldest) return []
  const { from = 0, to } = timesOf(search)
  const now = Date.now() + clockMarginMs
  // A cursor can be forged, and have a time thousands of years ahead.
  const newestMs = before === undefined ? now : Math.min(now, timeOfDeliveryId(before))
  const digest = site_url === undefined ? referenceDigest(reference ?? "") : siteDigest(site_url)
  return searchKeys(digest, {
    fromMs: Math.max(timeOfDeliveryId(oldest.id), from),
    toMs: Math.min(newestMs, to ?? newestMs),
  })
}
