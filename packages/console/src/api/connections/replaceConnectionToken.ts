import { connectionTriggerUrlSchema, hashConnectorToken, newConnectorToken } from "@sitewire/contracts"
import { type Sql, seal, sealContexts } from "@sitewire/database"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { connectionResponse } from "./connectionResponse.ts"
import { findConnection, lockConnection } from "./findConnection.ts"
import { triggerUrl } from "./triggerUrl.ts"

export const replaceConnectionToken = defineRoute({
  method: "post",
  path: "/v1/connections/{id}/token",
  operation: "replaceConnectionToken",
  summary: "Replace a connection's token",
  allow: ["operate", "site"],
  description:
    "When the response arrives, the old trigger URL no longer works. Later calls of it are counted in `replaced_tokens`. If two requests replace the token at the same time, only one token is valid: read the trigger URL to get it.",
  params: idParameter,
  success: {
    status: 200,
    description: "The connection with its new trigger URL.",
    schema: connectionTriggerUrlSchema,
  },
  async handle({ prisma, sql, sealingKeys, gatewayOrigin }, { params: { id }, caller }) {
    // Locked, so that the hash that is stored as replaced is the one that this request replaces.
    const before = await lockConnection(sql, id, caller)
    if (!before) return notFound("connection", id)
    await storeReplaced(sql, id)
    const token = newConnectorToken()
    // The gateway reads this row for every trigger, so there is no cache to clear.
    await prisma.connection.update({
      where: { id },
      data: {
        tokenSha256: new Uint8Array(hashConnectorToken(token)),
        tokenSealed: new Uint8Array(seal(sealingKeys, sealContexts.connectionToken(id), token)),
        tokenReplacedAt: new Date(),
      },
      select: { id: true },
    })
    const after = await findConnection(sql, id, caller)
    if (!after) return notFound("connection", id)
    const changes = changesOf(
      { token_replaced_at: before.token_replaced_at },
      { token_replaced_at: after.token_replaced_at },
    )
    const trigger_url = triggerUrl({ id, site: after.site, token, origin: gatewayOrigin })
    return ok(
      { ...connectionResponse(after), trigger_url },
      { audit: { target: { kind: "connection", id }, changes } },
    )
  },
})

/** Stores the hash of the current token as replaced. Only the newest ten are of use. */
async function storeReplaced(sql: Sql, id: string): Promise<void> {
  await sql(
    `delete from replaced_token where (connection_id, token_sha256) in (
       select connection_id, token_sha256 from replaced_token where connection_id = $1
       order by replaced_at desc offset 9)`,
    [id],
  )
  await sql(
    `insert into replaced_token (connection_id, token_sha256, replaced_at)
     select id, token_sha256, clock_timestamp() from connection where id = $1`,
    [id],
  )
}
