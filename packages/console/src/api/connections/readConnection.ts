import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { connectionEtag, connectionResponse } from "./connectionResponse.ts"
import { findConnection } from "./findConnection.ts"

export const readConnection = implement("readConnection", async ({ sql }, { params: { id }, caller }) => {
  const row = await findConnection(sql, id, caller)
  if (!row) return notFound("connection", id)
  const connection = connectionResponse(row, caller)
  return ok(connection, { headers: { etag: connectionEtag(connection) } })
})
