import { certificationSchema, identifierSchema } from "@sitewire/contracts"
import { defineRoute } from "../../defineRoute.ts"
import { idParameter } from "../../pathParameters.ts"
import { notFound, problem } from "../../problems.ts"
import { ok } from "../../response.ts"
import { findChannel } from "../findChannel.ts"
import { certificationColumns, certificationResponse } from "./certificationResponse.ts"

export const readCertification = defineRoute({
  method: "get",
  path: "/v1/channels/{id}/certifications/{certification}",
  operation: "readCertification",
  summary: "Read a certification and its points",
  allow: { read: "all", channel: "own" },
  description: "While its state is running, it contains the points that were checked so far.",
  params: idParameter.extend({
    certification: identifierSchema.meta({
      description: "Id of the certification.",
      examples: ["crt_0f1e2d3c4b5a69788796"],
    }),
  }),
  success: { status: 200, description: "The certification.", schema: certificationSchema },
  async handle({ prisma }, { params: { id, certification }, caller }) {
    if (!(await findChannel(prisma, id, caller))) return notFound("channel", id)
    const row = await prisma.receiverCheck.findFirst({
      where: { id: certification, channel_id: id, kind: "certification" },
      select: certificationColumns,
    })
    if (row) return ok(certificationResponse(row, caller))
    return problem(
      "not-found",
      `The channel "${id}" has no certification "${certification}". GET /v1/channels/${id}/certifications lists them.`,
    )
  },
})
