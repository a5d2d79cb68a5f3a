import { streamQuerySchema } from "@sitewire/contracts"
import { findChannel } from "../channels/findChannel.ts"
import { findConnection } from "../connections/findConnection.ts"
import { defineRoute } from "../defineRoute.ts"
import { notFound, problem } from "../problems.ts"

export const openStream = defineRoute({
  method: "get",
  path: "/v1/stream",
  operation: "openStream",
  summary: "Follow changes as server-sent events",
  allow: { read: "all", channel: "own", site: "own", connection: "own" },
  description: [
    "Sends an event within about two seconds of a change. The data of an event is JSON:",
    "`delivery` (created, attempted, resent or cancelled), `sync` (begun or ended), `channel` (changed or paused), `job` (created, progressed or ended; only for keys with the scope `read` or `operate`), `heartbeat` (at least every 10 s; the changes until its time `at` were sent), `reset` (changes were missed: read what you show again; `reason` is too-many) and `end` (the stream ends; `reason` is key-invalid (also: the session has ended), stopping or unavailable).",
    "A stream begins when it is opened: after an interruption, read what you show again. An event can come twice. Other changes of a delivery, such as a deferral, come with its next attempt. Those of bulk jobs, and the end of a deleted channel's deliveries, are sent for deliveries of the last half minute only.",
  ].join("\n\n"),
  query: streamQuerySchema,
  endless: true,
  otherResponses: {
    404: "The channel or the connection does not exist.",
    429: "The API key has sent too many requests, or there are too many open streams: 10 of an API key, and 100 of a console, of which 50 for keys of partners.",
  },
  success: {
    status: 200,
    description:
      "The stream. It ends within seconds of the revocation or expiry of the API key, or the end of the session.",
    contentType: "text/event-stream",
    headers: {
      "X-Accel-Buffering": {
        description: "Tells proxies not to buffer.",
        required: false,
        schema: { type: "string" },
        example: "no",
      },
    },
  },
  async handle({ prisma, sql, changes }, { query, headOnly, caller }) {
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
})
