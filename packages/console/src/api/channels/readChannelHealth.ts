import { channelHealthSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { findChannel } from "./findChannel.ts"
import { readHealth } from "./health/readHealth.ts"

export const readChannelHealth = defineRoute({
  method: "get",
  path: "/v1/channels/{id}/health",
  operation: "readChannelHealth",
  summary: "Read how deliveries to a channel go",
  allow: { read: "all", channel: "own" },
  description:
    "The circuit breaker and concurrency in each running dispatcher, what waits and why, what is dead, the success rate and latency in the last hour and day, and the last success and failure.",
  expensive: true,
  params: idParameter,
  success: { status: 200, description: "The channel's health.", schema: channelHealthSchema },
  async handle(context, { params: { id }, caller }) {
    const row = await findChannel(context.prisma, id, caller)
    if (!row) return notFound("channel", id)
    return ok(await readHealth(context, row))
  },
})
