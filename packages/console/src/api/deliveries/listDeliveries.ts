import type { ListedDelivery } from "@sitewire/contracts"
import { z } from "zod"
import {
  type DeliveryRow,
  deliveryColumns,
  deliveryResponse,
  withWaiting,
} from "../../deliveries/deliveryResponse.ts"
import { maskedBody } from "../../deliveries/maskEmails.ts"
import { invalidField, notFound, problem } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { findChannel } from "../channels/channelResponse.ts"
import { implement } from "../implement.ts"
import { readPage } from "../pagination.ts"
import { findDeliveryIds } from "./findDeliveryIds.ts"

export const listDeliveries = implement("listDeliveries", async ({ prisma, search }, { query, caller }) => {
  // With a reference or a site, the answer would confirm a guess of what the events of other publishers contain.
  const hasContent = query.reference !== undefined || query.site_url !== undefined
  const isKnown = caller.knowsEvents && query.event_id !== undefined && !hasContent
  const visible = caller.channels === "all" || isKnown ? null : caller.channels
  if (visible?.length === 0) {
    const message =
      "event_id is required, without reference and site_url, because the API key may only look up events whose ids it knows"
    return invalidField("query", "event_id", message)
  }
  if (query.channel !== undefined && visible !== null && !visible.includes(query.channel))
    return notFound("channel", query.channel)
  const channels = query.channel === undefined ? visible : [query.channel]
  const page = await readPage(query, {
    // Delivery ids are UUIDs of version 7, so they sort by creation time.
    key: z.uuid(),
    keyOf: (row: ListedRow) => row.id,
    read: async (before, count) => {
      const ids = await search((sql) => findDeliveryIds(sql, { ...query, channels, before, count }))
      if (ids === null) return problem("search-too-broad")
      const found = await prisma.delivery.findMany({
        where: { id: { in: ids } },
        orderBy: { id: "desc" },
        select: { ...deliveryColumns, body: true },
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
  const isReadable = (channel: string) => caller.channels === "all" || caller.channels.includes(channel)
  const data = page.rows.map((row) => listedResponse(row, isReadable(row.channel_id)))
  return ok({ data, next_cursor: page.next_cursor })
})

/** Bodies are stored with the other columns, so a page of them is read with its rows. */
type ListedRow = DeliveryRow & { body: Uint8Array }

/** `withBody`: the caller may read what was sent. A publisher may only learn what became of an event. */
function listedResponse(row: ListedRow, withBody: boolean): ListedDelivery {
  const { reference, site_url } = (withBody && maskedBody(row.body)) || {}
  return { ...deliveryResponse(row), reference: textOf(reference), site_url: textOf(site_url) }
}

/** Notifications of operators have neither. */
const textOf = (value: unknown) => (typeof value === "string" ? value : null)
