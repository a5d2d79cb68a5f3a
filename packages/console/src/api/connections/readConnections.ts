import { sealContexts, unseal } from "@sitewire/database"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { listPage, newestFirst } from "../pagination.ts"
import {
  type ConnectionRow,
  connectionColumns,
  connectionEtag,
  connectionResponse,
  findConnection,
  stateConditions,
  triggerUrl,
  visibleConnections,
} from "./connectionResponse.ts"

export const listConnections = implement("listConnections", async ({ sql }, { query, caller }) => {
  return listPage(
    query,
    {
      key: newestFirst.key,
      keyOf: (row: ConnectionRow) => newestFirst.keyOf(row),
      read(after, count) {
        const values: unknown[] = []
        const value = (one: unknown) => `$${values.push(one)}`
        const conditions = visibleConnections(caller, value)
        if (query.site !== undefined) conditions.push(`c.site = ${value(query.site)}`)
        if (query.state !== undefined) conditions.push(`(${stateConditions[query.state]})`)
        if (query.q !== undefined) {
          const text = value(query.q.toLowerCase())
          // Not the query of the source, which may contain a credential.
          const fields = "concat_ws(' ', c.id, c.site, split_part(c.source, '?', 1))"
          conditions.push(`strpos(lower(${fields}), ${text}) > 0`)
        }
        if (after) {
          conditions.push(`(c.created_at, c.id) < (${value(after[0])}::timestamptz, ${value(after[1])})`)
        }
        return sql<ConnectionRow>(
          `select ${connectionColumns} from connection c left join sync_window w on w.connection_id = c.id
           ${conditions.length > 0 ? `where ${conditions.join(" and ")}` : ""}
           order by c.created_at desc, c.id desc limit ${count}`,
          values,
        )
      },
    },
    (rows) => rows.map((row) => connectionResponse(row, caller)),
  )
})

export const readConnection = implement("readConnection", async ({ sql }, { params: { id }, caller }) => {
  const row = await findConnection(sql, id, caller)
  if (!row) return notFound("connection", id)
  const connection = connectionResponse(row, caller)
  return ok(connection, { headers: { etag: connectionEtag(connection) } })
})

/** The trigger URL is a separate resource, so that the audit log shows who read its secret token. */
export const readConnectionTriggerUrl = implement(
  "readConnectionTriggerUrl",
  async ({ prisma, sql, sealingKeys, gatewayOrigin }, { params: { id }, caller }) => {
    const row = await findConnection(sql, id, caller)
    const secret = await prisma.connection.findUnique({ where: { id }, select: { token_sealed: true } })
    if (!row || !secret) return notFound("connection", id)
    const token = unseal(sealingKeys, sealContexts.connectionToken(id), secret.token_sealed)
    const trigger_url = triggerUrl({ id, site: row.site, token, origin: gatewayOrigin })
    return ok(
      { ...connectionResponse(row, caller), trigger_url },
      { audit: { target: { kind: "connection", id } } },
    )
  },
)
