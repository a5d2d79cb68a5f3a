import { streamQuerySchema } from "../api/stream.ts"
import type { Route } from "./route.ts"

export const streamRoutes = {
  openStream: {
    method: "get",
    path: "/v1/stream",
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
  },
} satisfies Record<string, Route>
