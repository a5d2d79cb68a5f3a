import { activateQuerySchema, channelSchema } from "@sitewire/contracts"
import { defineRoute } from "../../defineRoute.ts"
import { idParameter } from "../../pathParameters.ts"
import { useOtherSecret } from "./useOtherSecret.ts"

export const revertSecret = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/secret/revert",
  operation: "revertSecret",
  summary: "Return to the retiring signing secret",
  allow: { operate: "all", channel: "own" },
  description:
    "Undoes an activation while the previous secret is retained: it signs again, also for existing deliveries, and the other one is retiring. Repeat it to undo that.",
  params: idParameter,
  query: activateQuerySchema,
  success: { status: 200, description: "The updated channel.", schema: channelSchema },
  otherResponses: {
    409: "No secret is retiring, the retiring one is not `secret_id`, or its last test found that the receiver does not accept it.",
  },
  handle({ prisma }, { params: { id }, query: { secret_id: secretId, force = false }, caller }) {
    return useOtherSecret(prisma, { id, state: "retiring", secretId, force }, caller)
  },
})
