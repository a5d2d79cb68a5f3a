import { connectionSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { auditedSource, connectionResponse } from "./connectionResponse.ts"
import { lockConnection } from "./findConnection.ts"

export const deleteConnection = defineRoute({
  method: "delete",
  path: "/v1/connections/{id}",
  operation: "deleteConnection",
  summary: "Delete a connection with its syncs and its content",
  allow: ["operate", "site"],
  description:
    "When the response arrives, every gateway responds to the trigger URL with 404. It cannot be undone. Triggers that no sync has covered are discarded, and a running sync can store nothing any more. A new connection with the same id has another token.",
  params: idParameter,
  success: { status: 200, description: "The connection as it was.", schema: connectionSchema },
  async handle({ sql }, { params: { id }, caller }) {
    const row = await lockConnection(sql, id, caller)
    if (!row) return notFound("connection", id)
    // A database trigger deletes the window, the syncs and the snapshot.
    await sql("delete from connection where id = $1", [id])
    const { site, source, runner } = row
    const changes = Object.fromEntries(
      Object.entries({ site, source: auditedSource(source), runner }).map(([field, old]) => [
        field,
        { old, new: null },
      ]),
    )
    return ok(connectionResponse(row), { audit: { target: { kind: "connection", id }, changes } })
  },
})
