import { connectionSchema } from "@sitewire/contracts"
import { defineRoute } from "../defineRoute.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound } from "../problems.ts"
import { ok } from "../response.ts"
import { connectionResponse, windowColumns } from "./connectionResponse.ts"
import { findConnection } from "./findConnection.ts"

export const readConnection = defineRoute({
  method: "get",
  path: "/v1/connections/{id}",
  operation: "readConnection",
  summary: "Read a connection and its state",
  allow: ["read", "site"],
  params: idParameter,
  etag: true,
  success: { status: 200, description: "The connection, without its trigger URL.", schema: connectionSchema },
  async handle({ prisma }, { params: { id }, caller }) {
    const [row, window] = await Promise.all([
      findConnection(prisma, id, caller),
      prisma.syncWindow.findUnique({ where: { connectionId: id }, select: windowColumns }),
    ])
    return row ? ok(connectionResponse(row, window)) : notFound("connection", id)
  },
})
