import { pageQuerySchema, pageSchema, type Sync, syncSchema } from "@sitewire/contracts"
import { z } from "zod"
import { defineRoute } from "../defineRoute.ts"
import { readPage } from "../pagination.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { findConnection } from "./findConnection.ts"

const columns = {
  fence: true,
  startedAt: true,
  finishedAt: true,
  outcome: true,
  error: true,
  triggers: true,
  firstTriggerAt: true,
  lastTriggerAt: true,
  bytes: true,
  contentSha256: true,
} as const

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
  async handle({ prisma }, { params: { id }, query, caller }) {
    if (!(await findConnection(prisma, id, caller))) return notFound("connection", id)
    const page = await readPage(query, {
      key: z.int(),
      keyOf: (row: SyncRow) => Number(row.fence),
      read: (after, count) =>
        prisma.syncRun.findMany({
          where: { connectionId: id, ...(after === undefined ? {} : { fence: { lt: after } }) },
          orderBy: { fence: "desc" },
          take: count,
          select: columns,
        }),
    })
    if (page.kind === "problem") return page
    return ok({ data: page.rows.map(syncResponse), next_cursor: page.next_cursor })
  },
})

type SyncRow = {
  fence: bigint
  startedAt: Date
  finishedAt: Date | null
  outcome: Sync["outcome"]
  error: string | null
  triggers: number
  firstTriggerAt: Date | null
  lastTriggerAt: Date | null
  bytes: bigint | null
  contentSha256: Uint8Array | null
}

function syncResponse(row: SyncRow): Sync {
  return {
    fence: Number(row.fence),
    started_at: row.startedAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
    outcome: row.outcome,
    error: row.error,
    triggers: row.triggers,
    first_trigger_at: row.firstTriggerAt?.toISOString() ?? null,
    last_trigger_at: row.lastTriggerAt?.toISOString() ?? null,
    bytes: row.bytes === null ? null : Number(row.bytes),
    content_sha256: row.contentSha256 && Buffer.from(row.contentSha256).toString("hex"),
  }
}
