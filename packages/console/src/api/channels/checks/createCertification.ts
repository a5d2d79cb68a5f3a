import { certificationSchema, createCertificationSchema } from "@sitewire/contracts"
import { type Caller, nameOf } from "../../../auth/caller.ts"
import { newId } from "../../../newIds.ts"
import { checkAddress } from "../../checkAddress.ts"
import { defineRoute } from "../../defineRoute.ts"
import { idParameter } from "../../pathParameters.ts"
import { notFound, problem } from "../../problems.ts"
import { changesOf, ok, type Problem } from "../../response.ts"
import { lockChannel } from "../findChannel.ts"
import { certificationColumns, certificationResponse } from "./certificationResponse.ts"
import { checkRunning } from "./checkRunning.ts"
import { rejectMany } from "./rejectMany.ts"

export const createCertification = defineRoute({
  method: "post",
  path: "/v1/channels/{id}/certifications",
  operation: "createCertification",
  summary: "Certify a receiver",
  allow: { operate: "all", channel: "own" },
  description:
    "A webhook-dispatcher sends about 30 genuine and forged deliveries with fictional data to the receiver, and reports point by point whether it behaves correctly. `reference` is `sitewire-test` in all of them. Usually takes seconds, and minutes if the receiver does not respond. Poll the certification in `Location` until its state is done or failed. An address of another scheme, host or port than the channel's needs the scope `operate`.",
  params: idParameter,
  body: createCertificationSchema,
  success: {
    status: 202,
    description: "The certification, which waits.",
    schema: certificationSchema,
    location: true,
  },
  links: { readCertification: { id: "$request.path.id", certification: "$response.body#/id" } },
  otherResponses: {
    409: "Another certification of the channel has not finished.",
    429: "The receiver was certified 100 times in a day, or the key has sent too many requests.",
  },
  async handle({ prisma, operatorsPolicy, partnersPolicy }, { params: { id }, body = {}, caller }) {
    const channel = await lockChannel(prisma, id, caller)
    if (!channel) return notFound("channel", id)
    const policy = channel.partner_may_change_address ? partnersPolicy : operatorsPolicy
    const address =
      body.address === undefined
        ? ({ kind: "ok", href: channel.address } as const)
        : checkAddress("address", body.address, policy)
    if (address.kind === "problem") return address
    const rejected = rejectOtherOrigin(caller, channel.address, address.href)
    if (rejected) return rejected
    const refused =
      (await checkRunning(prisma, id, "certification")) ?? (await rejectMany(prisma, id, "certification"))
    if (refused) return refused
    const row = await prisma.receiverCheck.create({
      data: {
        id: newId("crt"),
        channel_id: id,
        kind: "certification",
        address: address.href,
        language: body.language ?? null,
        requested_by: nameOf(caller),
      },
      select: certificationColumns,
    })
    return ok(certificationResponse(row, caller), {
      headers: { location: `/v1/channels/${id}/certifications/${row.id}` },
      audit: {
        target: { kind: "channel", id },
        changes: changesOf({}, { certification: row.id, origin: new URL(address.href).origin }),
      },
    })
  },
})

/**
 * A partner could otherwise let dispatchers call any address, and read the beginning of what it responds: also in the
 * operator's private ranges that ALLOWED_RANGES opens.
 */
function rejectOtherOrigin(caller: Caller, own: string, address: string): Problem | null {
  if (caller.channels === "all" || new URL(own).origin === new URL(address).origin) return null
  return problem(
    "missing-scope",
    "The API key may certify receivers only at the scheme, host and port of the channel's own address. Another one needs the scope operate.",
  )
}
