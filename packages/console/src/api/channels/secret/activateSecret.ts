import { implement } from "../../implement.ts"
import { useOtherSecret } from "./useOtherSecret.ts"

export const activateSecret = implement(
  "activateSecret",
  ({ prisma }, { params: { id }, query: { secret_id: secretId, force = false }, caller }) => {
    return useOtherSecret(prisma, { id, state: "staged", secretId, force }, caller)
  },
)
