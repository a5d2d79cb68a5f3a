import { newSecret } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { notFound } from "../../http/problems.ts"
import { changesOf, ok } from "../../http/response.ts"
import { implement } from "../implement.ts"
import { connectionResponse } from "./connectionResponse.ts"
import { lockConnection } from "./findConnection.ts"

export const replaceConnectionSecret = implement(
  "replaceConnectionSecret",
  async ({ prisma, sql, sealingKeys }, { params: { id }, caller }) => {
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
)
