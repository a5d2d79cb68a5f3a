import { apiKeySchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { ok } from "../response.ts"
import { apiKeyColumns, apiKeyResponse } from "./apiKeyResponse.ts"

/** Registered before `/v1/keys/{id}`. No key has the id "current": ids begin with `key_`. */
export const readCurrentApiKey = defineRoute({
  method: "get",
  path: "/v1/keys/current",
  operation: "readCurrentApiKey",
  summary: "Read the API key of this request",
  description:
    "Its scopes and its expiry, so that a client can tell what it may do. Every key may read itself.",
  allow: ["read", "operate", "channel", "site"],
  success: { status: 200, description: "The key, without its secret part.", schema: apiKeySchema },
  async handle({ prisma }, { caller }) {
    const row = await prisma.apiKey.findUniqueOrThrow({ where: { id: caller.keyId }, select: apiKeyColumns })
    return ok(apiKeyResponse(row))
  },
})
