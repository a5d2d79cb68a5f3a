import { connectionSecretSchema, newSecret } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { changesOf, ok } from "../response.ts"
import { connectionResponse } from "./connectionResponse.ts"
import { lockConnection } from "./findConnection.ts"

export const replaceConnectionSecret = defineRoute({
  method: "post",
  path: "/v1/connections/{id}/signing-secret",
  operation: "replaceConnectionSecret",
  summary: "Replace a connection's signing secret",
  allow: { operate: "all", site: "own" },
  shownOnce: "Replace it again, with a new Idempotency-Key.",
  description:
    "Requests to the source are signed with the new secret from the next sync on. The response is the only one that contains it. Until the partner verifies with it, syncs that it rejects are retried.",
  params: idParameter,
  success: {
    status: 200,
    description: "The connection with its new signing secret.",
    schema: connectionSecretSchema,
  },
  async handle({ prisma, sql, sealingKeys }, { params: { id }, caller }) {
    const before = await lockConnection(sql, id, caller)
    if (!before) return notFound("connection", id)
    const signing_secret = newSecret("sws")
    const sealed = seal(sealingKeys, sealContexts.connectionSecret(id), signing_secret)
    const replaced = { signing_secret_replaced_at: new Date() }
    await prisma.connection.update({
      where: { id },
      data: { ...replaced, signing_secret_sealed: new Uint8Array(sealed) },
      select: { id: true },
    })
    return ok(
      { ...connectionResponse({ ...before, ...replaced }, caller), signing_secret },
      { audit: { target: { kind: "connection", id }, changes: changesOf(before, replaced) } },
    )
  },
})
