import { removeScope } from "../../auth/removeScope.ts"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { connectionResponse } from "./connectionResponse.ts"
import { lockConnection } from "./findConnection.ts"

export const deleteConnection = implement("deleteConnection", async ({ sql }, { params: { id }, caller }) => {
  const row = await lockConnection(sql, id, caller)
  if (!row) return notFound("connection", id)
  // A database trigger deletes the window, the syncs and the snapshot.
  await sql("delete from connection where id = $1", [id])
  const keys = await removeScope(sql, `connection:${id}`)
  const { site, source, runner } = row
  const changes = Object.fromEntries(
    Object.entries({ site, source, runner }).map(([field, old]) => [field, { old, new: null }]),
  )
  return ok(connectionResponse(row, caller), {
    audit: { target: { kind: "connection", id }, changes, also: keys.map(({ audit }) => audit) },
  })
})
