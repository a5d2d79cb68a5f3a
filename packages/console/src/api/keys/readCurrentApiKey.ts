import { apiKeySchema } from "@sitewire/contracts"
import { implement } from "../implement.ts"
import { problem } from "../problems.ts"
import { ok } from "../response.ts"
import { columnsOf, responseOf } from "../responseOf.ts"

export const readCurrentApiKey = implement("readCurrentApiKey", async ({ prisma }, { caller }) => {
  const row = await prisma.apiKey.findUnique({
    where: { id: caller.keyId },
    select: columnsOf(apiKeySchema),
  })
  if (row) return ok(responseOf(apiKeySchema, row))
  return problem("not-found", "The session has no API key: its user signed in with OpenID Connect.")
})
