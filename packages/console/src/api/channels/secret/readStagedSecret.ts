import { sealContexts, unseal } from "@sitewire/database"
import { standardWebhooksSecret } from "@sitewire/signing/sender"
import { notFound } from "../../../http/problems.ts"
import { ok } from "../../../http/response.ts"
import { implement } from "../../implement.ts"
import { channelResponse } from "../channelResponse.ts"
import { findChannel } from "../findChannel.ts"
import { rotationConflict } from "./rotationConflict.ts"

export const readStagedSecret = implement(
  "readStagedSecret",
  async ({ prisma, sealingKeys }, { params: { id }, caller }) => {
    const found = await findChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const row = await prisma.channel.findFirst({
      where: { id, other_secret_state: "staged" },
      select: { other_secret_id: true, other_secret_sealed: true },
    })
    if (!row?.other_secret_id || !row.other_secret_sealed) return rotationConflict(prisma, id, "show")
    const context = sealContexts.signingSecret(id, row.other_secret_id)
    const secret = unseal(sealingKeys, context, row.other_secret_sealed)
    return ok(
      {
        ...channelResponse(found, caller),
        staged_secret: secret,
        standard_webhooks_secret: standardWebhooksSecret(secret),
      },
      { audit: { target: { kind: "channel", id } } },
    )
  },
)
