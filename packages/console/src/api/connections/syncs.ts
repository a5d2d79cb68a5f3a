import {
  identifierSchema,
  type Sync,
  type SyncFilter,
  syncSchema,
  timeSchema,
  type WindowPage,
} from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import type { Prisma } from "@sitewire/database/prisma"
import { allSyncs, earliestStartColumn } from "@sitewire/syncs"
import { z } from "zod"
import type { Caller } from "../../auth/caller.ts"
import { describeSyncError } from "../../connections/describeSyncError.ts"
import { notFound } from "../../http/problems.ts"
import { ok, responseOf } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { listPage, matching, readPage } from "../pagination.ts"
import { findConnection, visibleTo } from "./connectionResponse.ts"

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

const syncColumns = Object.keys(syncSchema.omit({ reason: true }).shape)
  .map((name) => `r.${name}`)
  .join(", ")
const order = "r.started_at desc, r.connection_id desc, r.fence desc"

/**
 * The newest syncs. Those of all connections are read in the order of the index of their start. Those of some
 * connections are read from each connection's newest sync on: in the other index, they could be far apart.
 */
function findSyncs(sql: Sql, search: Search): Promise<FoundSync[]> {
  const { caller, before } = search
  const where = matching(
    search,
    {
      started_after: "r.started_at >= $started_after::timestamptz",
      started_before: "r.started_at < $started_before::timestamptz",
      outcome: "r.outcome = $outcome::sync_outcome",
    },
    before && "(r.started_at, r.connection_id, r.fence) < ($at::timestamptz, $id::text, $fence::bigint)",
  )
  const syncs = `select * from ${allSyncs} r where ${where}`
  const chosen = matching(
    search,
    { connection: "c.id = $connection", site: "c.site = $site" },
    visibleTo(caller),
  )
  const from =
    chosen === "true"
      ? `(${syncs} order by ${order} limit $count) r join connection c on c.id = r.connection_id`
      : `connection c cross join lateral (
           ${syncs} and r.connection_id = c.id order by r.fence desc limit $count
         ) r where ${chosen}`
  const [at, id, fence] = before ?? []
  return sql<FoundSync>(
    ...named(
      `select c.id as connection, c.site, ${syncColumns} from ${from} order by ${order} limit $count`,
      { ...search, ...caller, at, id, fence },
    ),
  )
}

export const listWindows = implement("listWindows", async ({ sql }, { params: { id }, query, caller }) => {
  if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
  let pending: WindowPage["pending"] = null
  const page = await readPage(query, {
    key: z.int(),
    keyOf: (row: SyncRow) => Number(row.fence),
    async read(after, count) {
      // One statement: otherwise a claim between two could hide triggers or show them twice.
      const rows = await sql<WindowRow>(...named(windows, { id, after: after ?? null, count }))
      pending = pendingOf(rows[0])
      return rows.filter(hasSync)
    },
  })
  if (page.kind === "problem") return page
  const data = page.rows.map((row) => {
    const sync = syncResponse(row)
    const { triggers: count, first_trigger_at: first_at, last_trigger_at: last_at, outcome } = sync
    const covered = outcome === "changed" || outcome === "unchanged"
    return { triggers: { count, first_at, last_at }, covered, sync }
  })
  return ok({ data, next_cursor: page.next_cursor, pending })
})

type PendingColumns = {
  pending: string
  pending_first_at: Date | null
  pending_last_at: Date | null
  earliest_start_at: Date
}

type WindowRow = PendingColumns & (SyncRow | { fence: null })

function hasSync(row: WindowRow): row is PendingColumns & SyncRow {
  return row.fence !== null
}

function pendingOf(row: PendingColumns | undefined): WindowPage["pending"] {
  const count = Number(row?.pending ?? 0)
  if (row === undefined || count === 0) return null
  return {
    triggers: {
      count,
      first_at: row.pending_first_at?.toISOString() ?? null,
      last_at: row.pending_last_at?.toISOString() ?? null,
    },
    earliest_start_at: row.earliest_start_at.toISOString(),
  }
}

const windows = `
select w.requested - case when w.running then w.claimed else w.covered end as pending,
  w.first_trigger_at as pending_first_at, w.last_trigger_at as pending_last_at,
  ${earliestStartColumn} as earliest_start_at, ${syncColumns}
from sync_window w
left join lateral (
  select * from ${allSyncs} sync where connection_id = w.connection_id and ($after::bigint is null or fence < $after::bigint)
  order by fence desc limit $count::int
) r on true
where w.connection_id = $id
order by r.fence desc
`

/** The driver returns a `bigint` as a text. */
type SyncRow = Pick<
  Prisma.SyncRunModel,
  Exclude<keyof Sync, "fence" | "finished_at" | "bytes" | "reason">
> & {
  fence: string
  finished_at: Date | null
  bytes: string | null
}

function syncResponse(row: SyncRow): Sync {
  return responseOf(syncSchema, {
    ...row,
    fence: Number(row.fence),
    reason: describeSyncError(row.error, row.status)?.reason ?? null,
    bytes: row.bytes === null ? null : Number(row.bytes),
    content_sha256: row.content_sha256 && Buffer.from(row.content_sha256).toString("hex"),
  })
}
