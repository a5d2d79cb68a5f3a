import { connectionSchema } from "@sitewire/contracts"
import { removeScope } from "../../auth/removeScope.ts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { connectionResponse } from "./connectionResponse.ts"
import { lockConnection } from "./findConnection.ts"

export const deleteConnection = defineRoute({
  method: "delete",
  path: "/v1/connections/{id}",
  operation: "deleteConnection",
  summary: "Delete a connection with its syncs and its content",
  allow: { operate: "all", site: "own" },
  description:
    "When the response arrives, every gateway responds to the trigger URL with 404. It cannot be undone. Triggers that no sync has covered are discarded, and a running sync can store nothing any more. A new connection with the same id has another token, and API keys lose the scope connection:<id>; a key without another scope is revoked.",
  params: idParameter,
  success: { status: 200, description: "The connection as it was.", schema: connectionSchema },
  async handle({ sql }, { params: { id }, caller }) {
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
  },
})
