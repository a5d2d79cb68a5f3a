import { channelSchema, pageQuerySchema, pageSchema } from "@sitewire/contracts"
import { ok } from "../response.ts"
import { byCreation, readPage } from "../pagination.ts"
import { defineRoute } from "../defineRoute.ts"
import { channelAnswer, channelColumns } from "./channelResponse.ts"

export const listChannels = defineRoute({
  method: "get",
  path: "/v1/channels",
  operation: "listChannels",
  summary: "List channels, newest first",
  query: pageQuerySchema,
  success: {
    status: 200,
    description: "A page of channels.",
    schema: pageSchema(channelSchema).meta({ id: "ChannelPage" }),
  },
  async handle({ prisma }, { query }) {
    const page = await readPage(query, {
      ...byCreation,
      read: (after, take) =>
        prisma.channel.findMany({
          where: byCreation.where(after),
          orderBy: byCreation.orderBy,
          take,
          select: channelColumns,
        }),
    })
    if (page.kind === "problem") return page
    return ok({ data: page.rows.map(channelAnswer), next_cursor: page.next_cursor })
  },
})
