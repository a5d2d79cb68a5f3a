import { newSecret } from "@sitewire/contracts"
import { seal, sealContexts } from "@sitewire/database"
import { standardWebhooksSecret } from "@sitewire/signing/sender"
import { notFound } from "../../../http/problems.ts"
import { ok } from "../../../http/response.ts"
import { newId } from "../../../newIds.ts"
import { implement } from "../../implement.ts"
import { changedChannel } from "../channelResponse.ts"
import { findChannel, lockChannel } from "../findChannel.ts"
import { rotationConflict } from "./rotationConflict.ts"

export const stageSecret = implement(
  "stageSecret",
  async ({ prisma, sealingKeys }, { params: { id }, caller }) => {
    const found = await lockChannel(prisma, id, caller)
    if (!found) return notFound("channel", id)
    const secretId = newId("sec")
    const secret = newSecret("sws")
    const sealed = seal(sealingKeys, sealContexts.signingSecret(id, secretId), secret)
    // The condition that no other secret exists is part of the update, so that of two concurrent requests
    // only one succeeds.
    const { count } = await prisma.channel.updateMany({
      where: { id, other_secret_id: null },
      data: {
        other_secret_id: secretId,
        other_secret_sealed: new Uint8Array(sealed),
        other_secret_state: "staged",
        other_secret_since: new Date(),
      },
    })
    const row = count === 1 ? await findChannel(prisma, id, caller) : null
    if (!row) return rotationConflict(prisma, id, "stage")
    const { body, ...more } = changedChannel(found, row, caller)
    const secrets = { staged_secret: secret, standard_webhooks_secret: standardWebhooksSecret(secret) }
    return ok({ ...body, ...secrets }, more)
  },
)
