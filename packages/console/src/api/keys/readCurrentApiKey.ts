import { apiKeySchema } from "@sitewire/contracts"
import { ownKey } from "../../auth/caller.ts"
import { defineRoute } from "../defineRoute.ts"
import { problem } from "../problems.ts"
import { ok } from "../response.ts"
import { columnsOf, responseOf } from "../responseOf.ts"

/** Registered before `/v1/keys/{id}`. No key has the id "current": ids begin with `key_`. */
export const readCurrentApiKey = defineRoute({
  method: "get",
  path: "/v1/keys/current",
  operation: "readCurrentApiKey",
  summary: "Read the API key of this request",
  description:
    "Its scopes and its expiry, so that a client can tell what it may do. Every key may read itself.",
  allow: ownKey,
  otherResponses: {
    404: "The session of the request has no API key, because its user signed in with OpenID Connect.",
  },
  success: { status: 200, description: "The key, without its secret part.", schema: apiKeySchema },
  async handle({ prisma }, { caller }) {
    const row = await prisma.apiKey.findUnique({
      where: { id: caller.keyId },
      select: columnsOf(apiKeySchema),
    })
    if (row) return ok(responseOf(apiKeySchema, row))
    return problem("not-found", "The session has no API key: its user signed in with OpenID Connect.")
  },
})
