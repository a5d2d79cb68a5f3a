import { attemptResponse } from "../../deliveries/deliveryResponse.ts"
import { attemptsOf } from "../../deliveries/findAttempts.ts"
import { notFound } from "../../http/problems.ts"
import { ok } from "../../http/response.ts"
import { shownAddress } from "../channels/channelResponse.ts"
import { implement } from "../implement.ts"
import { readPage } from "../pagination.ts"
import { findDelivery } from "./findDelivery.ts"

export const listAttempts = implement(
  "listAttempts",
  async ({ prisma, sql }, { params: { id }, query, caller }) => {
    const delivery = await findDelivery(prisma, id, caller)
    if (!delivery) return notFound("delivery", id)
    const shown = shownAddress(delivery.channel_id, caller)
    const page = await readPage(query, attemptsOf(sql, id))
    if (page.kind === "problem") return page
    return ok({
      data: page.rows.map((attempt) => attemptResponse(attempt, shown)),
      next_cursor: page.next_cursor,
    })
  },
)
