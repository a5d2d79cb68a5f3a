import {
  identifierSchema,
  listedSyncSchema,
  pageSchema,
  syncQuerySchema,
  timeSchema,
} from "@sitewire/contracts"
import { z } from "zod"
import { defineRoute } from "../defineRoute.ts"
import { readPage } from "../pagination.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { findConnection } from "./findConnection.ts"
import { type FoundSync, findSyncs } from "./findSyncs.ts"
import { syncResponse } from "./syncResponse.ts"

export const listSyncs = defineRoute({
  method: "get",
  path: "/v1/syncs",
  operation: "listSyncs",
  summary: "List syncs, newest first",
  description:
    "All filters can be combined. An `outcome` is searched among the syncs that the other filters find, newest first: with a range of time, a rare one is found sooner.",
  allow: { read: "all", site: "own", connection: "own" },
  expensive: true,
  query: syncQuerySchema,
  otherResponses: { 404: "The connection does not exist." },
  success: {
    status: 200,
    description: "A page of syncs.",
    schema: pageSchema(listedSyncSchema).meta({ id: "SyncPage" }),
  },
  async handle({ sql }, { query, caller }) {
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
  },
})

type SyncKey = [string, string, number]
