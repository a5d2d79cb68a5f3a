import { apiKeySchema } from "@sitewire/contracts"
import { problem } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { columnsOf, responseOf } from "../../http/responseOf.ts"
import { implement } from "../implement.ts"

export const readCurrentApiKey = implement("readCurrentApiKey", async ({ prisma }, { caller }) => {
  const row = await prisma.apiKey.findUnique({
    where: { id: caller.keyId },
    select: columnsOf(apiKeySchema),
  })
  if (row) return ok(responseOf(apiKeySchema, row))
  return problem("not-found", "The session has no API key: its user signed in with OpenID Connect.")
})
