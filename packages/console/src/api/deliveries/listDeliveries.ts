import { deliveryQuerySchema, deliverySchema, pageSchema } from "@sitewire/contracts"
import { z } from "zod"
import { channelExists } from "../channels/channelExists.ts"
import { defineRoute } from "../defineRoute.ts"
import { readPage } from "../pagination.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { type DeliveryRow, deliveryColumns, deliveryResponse } from "./deliveryResponse.ts"

export const listDeliveries = defineRoute({
  method: "get",
  path: "/v1/deliveries",
  operation: "listDeliveries",
  summary: "List deliveries, newest first",
  query: deliveryQuerySchema,
  otherResponses: { 404: "The channel does not exist." },
  success: {
    status: 200,
    description: "A page of deliveries.",
    schema: pageSchema(deliverySchema).meta({ id: "DeliveryPage" }),
  },
  async handle({ prisma }, { query }) {
    const page = await readPage(query, {
      // Delivery ids are UUIDs of version 7, so they sort by creation time.
      key: z.uuid(),
      keyOf: (row: DeliveryRow) => row.id,
      read: (after, count) =>
        prisma.delivery.findMany({
          where: {
            ...(query.channel === undefined ? {} : { channelId: query.channel }),
            ...(query.state === undefined ? {} : { state: query.state }),
            ...(after === undefined ? {} : { id: { lt: after } }),
          },
          orderBy: { id: "desc" },
          take: count,
          select: deliveryColumns,
        }),
    })
    if (page.kind === "problem") return page
    if (
      page.rows.length === 0 &&
      query.channel !== undefined &&
      !(await channelExists(prisma, query.channel))
    )
      return notFound("channel", query.channel)
    return ok({ data: page.rows.map(deliveryResponse), next_cursor: page.next_cursor })
  },
})
