import { named, sealContexts, unseal } from "@sitewire/database"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { listPage, matching, newestFirst } from "../pagination.ts"
import {
  type ConnectionRow,
  connectionColumns,
  connectionEtag,
  connectionResponse,
  findConnection,
  stateConditions,
  triggerUrl,
  visibleTo,
} from "./connectionResponse.ts"

export const listConnections = implement("listConnections", async ({ sql }, { query, caller }) => {
  return listPage(
    query,
    {
      key: newestFirst.key,
      keyOf: (row: ConnectionRow) => newestFirst.keyOf(row),
      read(after, count) {
        // Not the query of the source, which may contain a credential.
        const text = "lower(concat_ws(' ', c.id, c.site, split_part(c.source, '?', 1)))"
        const where = matching(
          query,
          {
            site: "c.site = $site",
            state: query.state && `(${stateConditions[query.state]})`,
            q: `strpos(${text}, lower($q)) > 0`,
          },
          visibleTo(caller),
          after && "(c.created_at, c.id) < ($at::timestamptz, $id)",
        )
        return sql<ConnectionRow>(
          ...named(
            `select ${connectionColumns} from connection c left join sync_window w on w.connection_id = c.id
              where ${where} order by c.created_at desc, c.id desc limit $count`,
            { ...caller, ...query, at: after?.[0], id: after?.[1], count },
          ),
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
