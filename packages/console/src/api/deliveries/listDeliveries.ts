import { deliveryQuerySchema, deliverySchema, pageSchema } from "@sitewire/contracts"
import { z } from "zod"
import { notFound, ok } from "../response.ts"
import { readPage } from "../pagination.ts"
import { defineRoute } from "../defineRoute.ts"
import { type DeliveryRow, deliveryAnswer, deliveryColumns } from "./deliveryResponse.ts"
import { hasChannel } from "../channels/channelExists.ts"

export const listDeliveries = defineRoute({
  method: "get",
  path: "/v1/deliveries",
  operation: "listDeliveries",
  summary: "List deliveries, newest first",
  query: deliveryQuerySchema,
  others: { 404: "There is no such channel." },
  success: {
    status: 200,
    description: "A page of deliveries.",
    schema: pageSchema(deliverySchema).meta({ id: "DeliveryPage" }),
  },
  async handle({ prisma }, { query }) {
    const page = await readPage(query, {
      // Delivery ids are UUIDs of version 7: their order is that of their creation, and the index has it by channel.
      key: z.uuid(),
      keyOf: (row: DeliveryRow) => row.id,
      read: (after, take) =>
        prisma.delivery.findMany({
          where: {
            ...(query.channel === undefined ? {} : { channelId: query.channel }),
            ...(query.state === undefined ? {} : { state: query.state }),
            ...(after === undefined ? {} : { id: { lt: after } }),
          },
          orderBy: { id: "desc" },
          take,
          select: deliveryColumns,
        }),
    })
    if (page.kind === "problem") return page
    if (page.rows.length === 0 && query.channel !== undefined && !(await hasChannel(prisma, query.channel)))
      return notFound("channel", query.channel)
    return ok({ data: page.rows.map(deliveryAnswer), next_cursor: page.next_cursor })
  },
})
