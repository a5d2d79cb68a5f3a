import { stagedSecretSchema } from "@sitewire/contracts"
import { sealContexts, unseal } from "@sitewire/database"
import { standardWebhooksSecret } from "@sitewire/signing/sender"
import { defineRoute } from "../../defineRoute.ts"
import { idParameter } from "../../pathParameters.ts"
import { notFound } from "../../problems.ts"
import { ok } from "../../response.ts"
import { channelResponse } from "../channelResponse.ts"
import { findChannel } from "../findChannel.ts"
import { rotationConflict } from "./rotationConflict.ts"

export const readStagedSecret = defineRoute({
  method: "get",
  path: "/v1/channels/{id}/secret/staged",
  operation: "readStagedSecret",
  summary: "Show the staged signing secret",
  allow: { operate: "all", channel: "own" },
  description:
    "For a partner who did not get it. Once it is activated, nobody can read it again, also not after `secret/revert`. The audit log shows who read it.",
  reveals: true,
  params: idParameter,
  success: { status: 200, description: "The channel with its staged secret.", schema: stagedSecretSchema },
  otherResponses: { 409: "No secret is staged." },
  async handle({ prisma, sealingKeys }, { params: { id }, caller }) {
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
})
