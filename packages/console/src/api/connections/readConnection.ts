import { connectionSchema } from "@sitewire/contracts"
import { notFound, ok } from "../response.ts"
import { defineRoute } from "../defineRoute.ts"
import { byId } from "../pathParameters.ts"
import { connectionAnswer, connectionColumns, windowColumns } from "./connectionResponse.ts"

export const readConnection = defineRoute({
  method: "get",
  path: "/v1/connections/{id}",
  operation: "readConnection",
  summary: "Read a connection and its state",
  params: byId,
  success: { status: 200, description: "The connection, without its address.", schema: connectionSchema },
  async handle({ prisma }, { params: { id } }) {
    const [row, window] = await Promise.all([
      prisma.connection.findUnique({ where: { id }, select: connectionColumns }),
      prisma.syncWindow.findUnique({ where: { connectionId: id }, select: windowColumns }),
    ])
    return row ? ok(connectionAnswer(row, window)) : notFound("connection", id)
  },
})
