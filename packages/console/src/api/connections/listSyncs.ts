import { identifierSchema, type SyncFilter, timeSchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { allSyncs } from "@sitewire/syncs"
import { z } from "zod"
import type { Caller } from "../../auth/caller.ts"
import { notFound } from "../../http/problems.ts"
import { implement } from "../implement.ts"
import { listPage } from "../pagination.ts"
import { findConnection, visibleConnections } from "./findConnection.ts"
import { type SyncRow, syncResponse } from "./syncResponse.ts"

export const listSyncs = implement("listSyncs", async ({ sql }, { query, caller }) => {
  const { connection } = query
  if (connection !== undefined && !(await findConnection(sql, connection, caller)))
    return notFound("connection", connection)
  return listPage(
    query,
    {
      key: z.tuple([timeSchema, identifierSchema, z.int()]),
      keyOf: ({ started_at, connection, fence }: FoundSync): SyncKey => [
        started_at.toISOString(),
        connection,
        Number(fence),
      ],
      read: (before, count) => findSyncs(sql, { ...query, caller, before, count }),
    },
    (rows) => rows.map((row) => ({ connection: row.connection, site: row.site, ...syncResponse(row) })),
  )
})

type SyncKey = [string, string, number]

type FoundSync = SyncRow & { connection: string; site: string }

type Search = SyncFilter & {
  caller: Pick<Caller, "sites" | "connections">
  before: [startedAt: string, connection: string, fence: number] | undefined
  count: number
}

const order = "r.started_at desc, r.connection_id desc, r.fence desc"

/**
 * The newest syncs. Those of all connections are read in the order of the index of their start. Those of some
 * connections are read from each connection's newest sync on: in the other index, they could be far apart.
 */
function findSyncs(sql: Sql, search: Search): Promise<FoundSync[]> {
  const { connection, site, outcome, started_after, started_before, caller, before, count } = search
  const values: unknown[] = []
  const value = (one: unknown) => `$${values.push(one)}`
  const conditions = ["true"]
  if (started_after !== undefined) conditions.push(`r.started_at >= ${value(started_after)}::timestamptz`)
  if (started_before !== undefined) conditions.push(`r.started_at < ${value(started_before)}::timestamptz`)
  if (outcome !== undefined) conditions.push(`r.outcome = ${value(outcome)}::sync_outcome`)
  if (before !== undefined) {
    const [startedAt, id, fence] = before.map(value)
    conditions.push(
      `(r.started_at, r.connection_id, r.fence) < (${startedAt}::timestamptz, ${id}::text, ${fence}::bigint)`,
    )
  }
  const syncs = `select * from ${allSyncs} r where ${conditions.join(" and ")}`
  const chosen = [
    ...(connection === undefined ? [] : [`c.id = ${value(connection)}`]),
    ...(site === undefined ? [] : [`c.site = ${value(site)}`]),
    ...visibleConnections(caller, value),
  ]
  const from =
    chosen.length === 0
      ? `(${syncs} order by ${order} limit ${count}) r join connection c on c.id = r.connection_id`
      : `connection c cross join lateral (
           ${syncs} and r.connection_id = c.id order by r.fence desc limit ${count}
         ) r where ${chosen.join(" and ")}`
  return sql<FoundSync>(
    `select c.id as connection, c.site, r.fence, r.started_at, r.finished_at, r.outcome, r.error, r.status, r.triggers,
       r.first_trigger_at, r.last_trigger_at, r.bytes, r.content_sha256
     from ${from} order by ${order} limit ${count}`,
    values,
  )
}
