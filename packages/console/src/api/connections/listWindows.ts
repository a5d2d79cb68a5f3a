import type { WindowPage } from "@sitewire/contracts"
import { named } from "@sitewire/database"
import { allSyncs, earliestStartColumn } from "@sitewire/syncs"
import { z } from "zod"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { readPage } from "../pagination.ts"
import { findConnection } from "./findConnection.ts"
import { type SyncRow, syncResponse } from "./syncResponse.ts"

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
  ${earliestStartColumn} as earliest_start_at,
  r.fence, r.started_at, r.finished_at, r.outcome, r.error, r.status, r.triggers, r.first_trigger_at,
  r.last_trigger_at, r.bytes, r.content_sha256
from sync_window w
left join lateral (
  select * from ${allSyncs} sync where connection_id = w.connection_id and ($after::bigint is null or fence < $after::bigint)
  order by fence desc limit $count::int
) r on true
where w.connection_id = $id
order by r.fence desc
`
