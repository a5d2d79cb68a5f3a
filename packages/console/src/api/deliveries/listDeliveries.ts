import { deliveryQuerySchema, deliverySchema, pageSchema } from "@sitewire/contracts"
import { z } from "zod"
import { sees } from "../../auth/caller.ts"
import { findChannel } from "../channels/findChannel.ts"
import { defineRoute } from "../defineRoute.ts"
import { readPage } from "../pagination.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { type DeliveryRow, deliveryColumns, deliveryResponse } from "./deliveryResponse.ts"
import { findDeliveryIds } from "./findDeliveryIds.ts"
import { withWaiting } from "./withWaiting.ts"

export const listDeliveries = defineRoute({
  method: "get",
  path: "/v1/deliveries",
  operation: "listDeliveries",
  summary: "List or search deliveries, newest first",
  description:
    "All filters can be combined. Searches read an index, newest first. A search is slow (seconds) only if very many deliveries match its most selective filter and none of them matches the others.",
  allow: ["read", "channel"],
  query: deliveryQuerySchema,
  otherResponses: { 404: "The channel does not exist." },
  success: {
    status: 200,
    description: "A page of deliveries.",
    schema: pageSchema(deliverySchema).meta({ id: "DeliveryPage" }),
  },
  async handle({ prisma, sql }, { query, caller }) {
    if (query.channel !== undefined && !sees(caller.channels, query.channel))
      return notFound("channel", query.channel)
    const visible = caller.channels === "all" ? null : caller.channels
    const channels = query.channel === undefined ? visible : [query.channel]
    const page = await readPage(query, {
      // Delivery ids are UUIDs of version 7, so they sort by creation time.
      key: z.uuid(),
      keyOf: (row: DeliveryRow) => row.id,
      read: async (before, count) => {
        const sinceChannel = visible === null ? undefined : true
        const ids = await findDeliveryIds(sql, { ...query, channels, sinceChannel, before, count })
        const found = await prisma.delivery.findMany({
          where: { id: { in: ids } },
          orderBy: { id: "desc" },
          select: deliveryColumns,
        })
        return withWaiting(prisma, found)
      },
    })
    if (page.kind === "problem") return page
    // A deleted channel may still have deliveries, so a channel is unknown only if it has none.
    if (
      page.rows.length === 0 &&
      query.channel !== undefined &&
      !(await findChannel(prisma, query.channel, caller))
    )
      return notFound("channel", query.channel)
    return ok({ data: page.rows.map(deliveryResponse), next_cursor: page.next_cursor })
  },
})
