import { notFound, problem } from "../http/problems.ts"
import { findChannel } from "./channels/channelResponse.ts"
import { findConnection } from "./connections/findConnection.ts"
import { implement } from "./implement.ts"

export const openStream = implement(
  "openStream",
  async ({ prisma, sql, changes }, { query, headOnly, caller }) => {
    const { channel, connection } = query
    if (channel !== undefined && !(await findChannel(prisma, channel, caller)))
      return notFound("channel", channel)
    if (connection !== undefined && !(await findConnection(sql, connection, caller)))
      return notFound("connection", connection)
    const queue = headOnly ? null : await changes.subscribe({ caller, filter: query })
    if (queue === null && !headOnly) {
      const detail =
        "There are too many open streams: 10 of an API key, and 100 of a console, of which 50 for keys of partners, are allowed."
      return problem("too-many-streams", `${detail} Close one, or try again later.`)
    }
    return {
      kind: "stream",
      status: 200,
      headers: { "content-type": "text/event-stream", "x-accel-buffering": "no" },
      chunks: queue?.chunks ?? null,
      ...(queue ? { cutOff: queue.cutOff } : {}),
    }
  },
)
