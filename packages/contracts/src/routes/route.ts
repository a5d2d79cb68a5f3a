import type { z } from "zod"
import { pageSchema } from "../api/pagination.ts"
import type { ProblemCode } from "../api/problemCodes.ts"
import { type ScopeName, scopeNames } from "../api/scopes.ts"

/**
 * What the console, its clients and its documents know of a route of the management API. In an object of routes, the key
 * is the operation: code generators name functions after it.
 */
export type Route = {
  method: "get" | "post" | "patch" | "delete"
  /** In OpenAPI's syntax: `/v1/channels/{id}`. */
  path: string
  summary: string
  description?: string
  /** Scopes of API keys that may call the route, for docs/reference/scopes.md too. "anyone": the route needs no key. */
  allow: "anyone" | Allow
  params?: z.ZodObject
  query?: z.ZodObject
  body?: z.ZodType
  success: {
    /** Default: 200. */
    status?: number
    /** Default: that of the schema. */
    description?: string
    /** Without a schema, the client gets the response itself. */
    schema?: z.ZodType
    /** Of a success without `schema`. Default: any. */
    contentType?: string
    /** Names and descriptions. */
    headers?: Record<string, string>
    /** The response has a Location, as each response with the status 201 does. */
    location?: true
  }
  /** A second kind of success, with the status 200, such as a dry run: for responses of the kind "alternative". */
  alternative?: z.ZodType
  /** The errors of its own, for the OpenAPI document, which adds those of all routes. */
  problems?: ProblemCode[]
  /** The headers of a conditional request, whose response can be 304. */
  requestHeaders?: z.ZodObject
  /**
   * For a GET that reveals a secret or personal data: it is audited like a write. In audited routes, the handler
   * must pass `audit` to `ok()`. It is stored, not sent.
   */
  reveals?: true
  /**
   * The response contains a secret, so it is not stored for a repeated Idempotency-Key. The text states how to get another
   * secret; `{id}` is that of what the request changed.
   */
  shownOnce?: string
  /** The response to GET has an ETag, which PATCH accepts in If-Match. */
  etag?: true
  /** It may take seconds, because it reads much: see the console's `limitExpensive`. */
  expensive?: true
  /** The same, because it reads from Kafka. It has a limit of its own, so that an outage of Kafka delays no read of Postgres. */
  readsKafka?: true
  /** The response is a stream that lasts until the client or the console ends it. */
  endless?: true
}

/**
 * The scopes that allow a route, and what it shows them: `all`, or their `own` channel, site, connection or jobs. `operate`
 * allows whatever `read` allows.
 */
export type Allow = Partial<Record<ScopeName, "all" | "own">>

/** For a route about the key of the request itself. */
export const ownKey: Allow = Object.fromEntries(scopeNames.map((name) => [name, "own"]))

/** The success of a list. `id` names the schema of its pages. */
export function pageOf<Entry extends z.ZodType>(entry: Entry, id: string) {
  return { schema: pageSchema(entry).meta({ id }) }
}
