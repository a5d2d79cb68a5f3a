import { identifierSchema, timeSchema } from "@sitewire/contracts"
import { z } from "zod"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { readPage } from "../pagination.ts"
import { findConnection } from "./findConnection.ts"
import { type FoundSync, findSyncs } from "./findSyncs.ts"
import { syncResponse } from "./syncResponse.ts"

export const listSyncs = implement("listSyncs", async ({ sql }, { query, caller }) => {
  const { connection } = query
  if (connection !== undefined && !(await findConnection(sql, connection, caller)))
    return notFound("connection", connection)
  const page = await readPage(query, {
    key: z.tuple([timeSchema, identifierSchema, z.int()]),
    keyOf: ({ started_at, connection, fence }: FoundSync): SyncKey => [
      started_at.toISOString(),
      connection,
      Number(fence),
    ],
    read: (before, count) => findSyncs(sql, { ...query, caller, before, count }),
  })
  if (page.kind === "problem") return page
  const data = page.rows.map((row) => ({
    connection: row.connection,
    site: row.site,
    ...syncResponse(row),
  }))
  return ok({ data, next_cursor: page.next_cursor })
})

type SyncKey = [string, string, number]
