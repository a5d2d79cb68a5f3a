import { certificationSummarySchema, pageQuerySchema, pageSchema } from "@sitewire/contracts"
import { defineRoute } from "../../defineRoute.ts"
import { newestFirst, readPage } from "../../pagination.ts"
import { idParameter } from "../../pathParameters.ts"
import { notFound } from "../../problems.ts"
import { ok } from "../../response.ts"
import { findChannel } from "../findChannel.ts"
import { certificationColumns, certificationSummary } from "./certificationResponse.ts"

export const listCertifications = defineRoute({
  method: "get",
  path: "/v1/channels/{id}/certifications",
  operation: "listCertifications",
  summary: "List the certifications of a channel's receiver, newest first",
  allow: { read: "all", channel: "own" },
  params: idParameter,
  query: pageQuerySchema,
  links: { readCertification: { id: "$request.path.id", certification: "$response.body#/data/0/id" } },
  success: {
    status: 200,
    description: "A page of certifications, without their points.",
    schema: pageSchema(certificationSummarySchema).meta({ id: "CertificationPage" }),
  },
  async handle({ prisma }, { params: { id }, query, caller }) {
    if (!(await findChannel(prisma, id, caller))) return notFound("channel", id)
    const page = await readPage(query, {
      ...newestFirst,
      read: (after, count) =>
        prisma.receiverCheck.findMany({
          where: { channel_id: id, kind: "certification", ...newestFirst.where(after) },
          orderBy: newestFirst.orderBy,
          take: count,
          select: certificationColumns,
        }),
    })
    if (page.kind === "problem") return page
    return ok({
      data: page.rows.map((row) => certificationSummary(row, caller)),
      next_cursor: page.next_cursor,
    })
  },
})
