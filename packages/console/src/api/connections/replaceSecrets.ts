import { hashConnectorToken, newConnectorToken, newSecret } from "@sitewire/contracts"
import { type SealingKeys, seal, sealContexts } from "@sitewire/database"
import { notFound } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { connectionResponse, lockConnection, triggerUrl } from "./connectionResponse.ts"

export const replaceConnectionToken = implement(
  "replaceConnectionToken",
  async ({ prisma, sql, sealingKeys, gatewayOrigin }, { params: { id }, caller }) => {
    const before = await lockConnection(sql, id, caller)
    if (!before) return notFound("connection", id)
    const { token, ...ofToken } = newToken(sealingKeys, id)
    const replaced = { token_replaced_at: new Date() }
    // The gateway reads this row for every trigger, so there is no cache to clear.
    await prisma.connection.update({
      where: { id },
      data: { ...ofToken, ...replaced },
      select: { id: true },
    })
    const trigger_url = triggerUrl({ id, site: before.site, token, origin: gatewayOrigin })
    return ok(
      { ...connectionResponse({ ...before, ...replaced }, caller), trigger_url },
      { audit: { target: { kind: "connection", id }, changes: changesOf(before, replaced) } },
    )
  },
)

export const replaceConnectionSecret = implement(
  "replaceConnectionSecret",
  async ({ prisma, sql, sealingKeys }, { params: { id }, caller }) => {
    const before = await lockConnection(sql, id, caller)
    if (!before) return notFound("connection", id)
    const { signing_secret, signing_secret_sealed } = newSigningSecret(sealingKeys, id)
    const replaced = { signing_secret_replaced_at: new Date() }
    await prisma.connection.update({
      where: { id },
      data: { ...replaced, signing_secret_sealed },
      select: { id: true },
    })
    return ok(
      { ...connectionResponse({ ...before, ...replaced }, caller), signing_secret },
      { audit: { target: { kind: "connection", id }, changes: changesOf(before, replaced) } },
    )
  },
)

/** A token of a connection, and the columns that store it. */
export function newToken(keys: SealingKeys, connection: string) {
  const token = newConnectorToken()
  const token_sealed = seal(keys, sealContexts.connectionToken(connection), token)
  return { token, token_sha256: hashConnectorToken(token), token_sealed }
}

export function newSigningSecret(keys: SealingKeys, connection: string) {
  const signing_secret = newSecret("sws")
  return {
    signing_secret,
    signing_secret_sealed: seal(keys, sealContexts.connectionSecret(connection), signing_secret),
  }
}
