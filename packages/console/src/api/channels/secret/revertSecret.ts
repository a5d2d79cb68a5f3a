import { implement } from "../../implement.ts"
import { useOtherSecret } from "./useOtherSecret.ts"

export const revertSecret = implement(
  "revertSecret",
  ({ prisma }, { params: { id }, query: { secret_id: secretId, force = false }, caller }) => {
    return useOtherSecret(prisma, { id, state: "retiring", secretId, force }, caller)
  },
)
