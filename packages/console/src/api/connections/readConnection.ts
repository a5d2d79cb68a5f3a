import { connectionSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { connectionEtag, connectionResponse } from "./connectionResponse.ts"
import { findConnection } from "./findConnection.ts"

export const readConnection = defineRoute({
  method: "get",
  path: "/v1/connections/{id}",
  operation: "readConnection",
  summary: "Read a connection and its state",
  allow: { read: "all", site: "own", connection: "own" },
  description:
    "The ETag changes with the source, the runner and the request headers, and not with each sync.",
  params: idParameter,
  etag: true,
  success: { status: 200, description: "The connection, without its trigger URL.", schema: connectionSchema },
  async handle({ sql }, { params: { id }, caller }) {
    const row = await findConnection(sql, id, caller)
    if (!row) return notFound("connection", id)
    const connection = connectionResponse(row, caller)
    return ok(connection, { headers: { etag: connectionEtag(connection) } })
  },
})
