import type { IncomingHttpHeaders } from "node:http"
import { validationMessage } from "@sitewire/contracts"
import type { SealingKeys, Sql } from "@sitewire/database"
import type { PrismaClient, PrismaQueries } from "@sitewire/database/prisma"
import type { AddressPolicy } from "@sitewire/egress"
import type { Logger } from "@sitewire/runtime"
import { z } from "zod"
import type { Allow, Caller } from "../auth/caller.ts"
import type { ReadTopics } from "../kafka/readTopics.ts"
import type { InvalidTopic } from "../kafka/topicReader.ts"
import type { ConsoleOrigin } from "../session/consoleOrigin.ts"
import type { ChangeFeed } from "../stream/createChangeFeed.ts"
import { fieldErrors } from "./fieldErrors.ts"
import type { OpenApi } from "./openapi/jsonSchema.ts"
import type { ResponseHeader } from "./openapi/responseHeaders.ts"
import { impossibleId, invalidRequest } from "./problems.ts"
import type { Problem, RouteResponse, Success } from "./response.ts"

/** In a route that writes, `prisma` and `sql` run within the transaction of the request. */
export type ApiContext = {
  prisma: PrismaQueries
  sql: Sql
  /** Runs the statements of a search. Returns null if they took too long and were ended. */
  search: <T>(read: (sql: Sql) => Promise<T>) => Promise<T | null>
  sealingKeys: SealingKeys
  /** The rules for the address of a channel that only operators set. */
  operatorsPolicy: AddressPolicy
  /** The rules for the address of a channel that its partner may change, and for sources that Sitewire itself fetches. */
  partnersPolicy: AddressPolicy
  /** The rules for executors, which run the syncs of `delegate` connections. */
  executorPolicy: AddressPolicy
  /** Replaces `https://<site>` in trigger URLs. */
  gatewayOrigin: string | undefined
  consoleOrigin: ConsoleOrigin
  /** Whether API keys, and links that they create, sign in to the web console. */
  signInWithKey: boolean
  /** How long an API key may be valid. */
  keyMaxAgeMs: number | undefined
  invalidTopic: InvalidTopic
  topicPrefix: string
  siteMaxConnections: number
  /** Whether e-mails are sent to channels' contacts. */
  sendsMail: boolean
  /** A delivery that still fails after this time becomes dead. */
  retryPeriodMs: number
  readTopics: ReadTopics
  changes: ChangeFeed
  /** How long dispatchers store deliveries. */
  deliveryRetentionMs: number
  openApiDocument: OpenApi
}

/** The context of all routes, with a client that can begin transactions. */
export type AppContext = Omit<ApiContext, "prisma"> & { prisma: PrismaClient; log: Logger }

export type RawRequest = {
  params: unknown
  query: unknown
  body: unknown
  headers: IncomingHttpHeaders
  headOnly: boolean
  caller: Caller
}

type Description = {
  method: "get" | "post" | "patch" | "delete"
  /** In OpenAPI's syntax: `/v1/channels/{id}`. */
  path: string
  /** Unique. Code generators name functions after it. */
  operation: string
  summary: string
  description?: string
  /** Scopes of API keys that may call the route, for docs/reference/scopes.md too. "anyone": the route needs no key. */
  allow: "anyone" | Allow
  /**
   * For a GET that reveals a secret or personal data: it is audited like a write. In audited routes, `handle`
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
  /** It may take seconds, because it reads much: see `limitExpensive`. */
  expensive?: true
  /** The same, because it reads from Kafka. It has a limit of its own, so that an outage of Kafka delays no read of Postgres. */
  readsKafka?: true
  /** The response is a stream that lasts until the client or the console ends it. */
  endless?: true
  /** Further statuses and their meanings, for the OpenAPI document. */
  otherResponses?: Record<number, string>
  /** Further request headers, for the OpenAPI document. */
  requestHeaders?: z.ZodObject
  /** A second kind of success, such as a dry run: for responses of the kind "alternative". */
  alternative?: { status: number; description: string; schema: z.ZodType }
}

type Schemas<Params, Query, Body, Result> = {
  params?: Params
  query?: Query
  body?: Body
  success: {
    status: number
    description: string
    schema?: Result
    /** Of a success without `schema`. Default: any. */
    contentType?: string
    headers?: Record<string, ResponseHeader>
    /** The response has a Location, as each response with the status 201 does. */
    location?: true
  }
}

export type Route = Description &
  Schemas<z.ZodObject, z.ZodObject, z.ZodType, z.ZodType> & {
    run(context: ApiContext, request: RawRequest): Promise<RouteResponse>
    afterCommit?: AfterCommit
  }

/**
 * For a route that waits for another process, which sees what the route wrote only after the commit. Gets the body
 * that `handle` returned, and returns the final response. For a repeated Idempotency-Key it gets the stored body, so
 * it must be repeatable.
 */
type AfterCommit<Result = unknown> = (
  context: ApiContext,
  committed: unknown,
  write: Write,
) => Promise<Success<Result> | Problem>

/** Writes once more, in a transaction with its audit entry. A problem rolls it back. A success without `audit` has changed nothing. */
export type Write = <Result>(
  work: (within: ApiContext, caller: Caller) => Promise<Success<Result> | Problem>,
) => Promise<Success<Result> | Problem>

type Input<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = {
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  headers: IncomingHttpHeaders
  headOnly: boolean
  caller: Caller
}

type Handle<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType, Response> = (
  context: ApiContext,
  input: Input<Params, Query, Body>,
) => Promise<RouteResponse<Response>>

/** True if the route's requests run in a transaction, are audited, and may have an Idempotency-Key (POST). */
export function isWrite(route: Pick<Route, "method" | "reveals">): boolean {
  return route.method !== "get" || route.reveals === true
}

/**
 * Defines a route. `handle` gets only valid requests, and the compiler checks its response against
 * `success.schema`.
 */
export function defineRoute<
  Result extends z.ZodType,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
>(
  spec: Description &
    Schemas<Params, Query, Body, Result> & {
      handle: Handle<Params, Query, Body, z.output<Result>>
      afterCommit?: never
    },
): Route
/** With `afterCommit`, the compiler checks the response of that function. */
export function defineRoute<
  Result extends z.ZodType,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
>(
  spec: Description &
    Schemas<Params, Query, Body, Result> & {
      handle: Handle<Params, Query, Body, unknown>
      afterCommit: AfterCommit<z.output<Result>>
    },
): Route
export function defineRoute<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType>(
  spec: Description &
    Schemas<Params, Query, Body, z.ZodType> & {
      handle: Handle<Params, Query, Body, unknown>
      afterCommit?: AfterCommit
    },
): Route {
  const { handle, ...description } = spec
  const { params = z.unknown(), query = z.unknown(), body = z.unknown() } = description
  return {
    ...description,
    async run(context, request) {
      const path = params.safeParse(request.params, { error: validationMessage })
      if (!path.success) return impossibleId(fieldErrors(path.error)[0]?.message ?? "its id is invalid")
      const parsedQuery = query.safeParse(request.query, { error: validationMessage })
      if (!parsedQuery.success) return invalidRequest("query", fieldErrors(parsedQuery.error))
      const parsedBody = body.safeParse(request.body, { error: validationMessage })
      if (!parsedBody.success) return invalidRequest("body", fieldErrors(parsedBody.error))
      return handle(context, {
        params: path.data as z.output<Params>,
        query: parsedQuery.data as z.output<Query>,
        body: parsedBody.data as z.output<Body>,
        headers: request.headers,
        headOnly: request.headOnly,
        caller: request.caller,
      })
    },
  }
}
