import { attemptSchema, pageQuerySchema, pageSchema } from "@sitewire/contracts"
import { shownAddress } from "../channels/channelResponse.ts"
import { defineRoute } from "../defineRoute.ts"
import { readPage } from "../pagination.ts"
import { deliveryIdParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { attemptResponse } from "./deliveryResponse.ts"
import { attemptsOf } from "./findAttempts.ts"
import { findDelivery } from "./findDelivery.ts"

export const listAttempts = defineRoute({
  method: "get",
  path: "/v1/deliveries/{id}/attempts",
  operation: "listAttempts",
  summary: "List a delivery's attempts, newest first",
  allow: { read: "all", channel: "own" },
  description: "E-mail addresses in responses are masked.",
  params: deliveryIdParameter,
  query: pageQuerySchema,
  success: {
    status: 200,
    description: "A page of attempts.",
    schema: pageSchema(attemptSchema).meta({ id: "AttemptPage" }),
  },
  async handle({ prisma, sql }, { params: { id }, query, caller }) {
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
})
