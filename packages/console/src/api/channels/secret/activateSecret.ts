import { activateQuerySchema, channelSchema } from "@sitewire/contracts"
import { defineRoute } from "../../defineRoute.ts"
import { idParameter } from "../../pathParameters.ts"
import { useOtherSecret } from "./useOtherSecret.ts"

export const activateSecret = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/secret/activate",
  operation: "activateSecret",
  summary: "Activate the staged signing secret",
  allow: { operate: "all", channel: "own" },
  description:
    "From now on X-Sitewire-Signature is made with the new secret, also for existing deliveries. The previous secret is retiring: if Standard Webhooks headers are on, they contain a signature by each until it is retired. Until then, `secret/revert` returns to it.",
  params: idParameter,
  query: activateQuerySchema,
  success: { status: 200, description: "The updated channel.", schema: channelSchema },
  otherResponses: {
    409: "No secret is staged, the staged one is not `secret_id`, or its last test found that the receiver does not accept it.",
  },
  handle({ prisma }, { params: { id }, query: { secret_id: secretId, force = false }, caller }) {
    return useOtherSecret(prisma, { id, state: "staged", secretId, force }, caller)
  },
})
