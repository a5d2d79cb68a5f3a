import { pageQuerySchema, pageSchema, syncSchema } from "@sitewire/contracts"
import { z } from "zod"
import { defineRoute } from "../defineRoute.ts"
import { readPage } from "../pagination.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { findConnection } from "./findConnection.ts"
import { type SyncRow, syncResponse } from "./syncResponse.ts"

export const listSyncs = defineRoute({
  method: "get",
  path: "/v1/connections/{id}/syncs",
  operation: "listSyncs",
  summary: "List a connection's syncs, newest first",
  allow: ["read", "site"],
  params: idParameter,
  query: pageQuerySchema,
  success: {
    status: 200,
    description: "A page of syncs.",
    schema: pageSchema(syncSchema).meta({ id: "SyncPage" }),
  },
  async handle({ sql }, { params: { id }, query, caller }) {
    if (!(await findConnection(sql, id, caller))) return notFound("connection", id)
    const page = await readPage(query, {
      key: z.int(),
      keyOf: (row: SyncRow) => Number(row.fence),
      read: (after, count) => sql<SyncRow>(syncs, [id, after ?? null, count]),
    })
    if (page.kind === "problem") return page
    return ok({ data: page.rows.map(syncResponse), next_cursor: page.next_cursor })
  },
})

const syncs = `
select fence, started_at, finished_at, outcome, error, triggers, first_trigger_at, last_trigger_at, bytes,
  content_sha256
from sync_run where connection_id = $1 and ($2::bigint is null or fence < $2::bigint)
order by fence desc limit $3::int
`
