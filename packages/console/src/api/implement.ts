import type { IncomingHttpHeaders } from "node:http"
import { validationMessage } from "@sitewire/contracts"
import { type Route as Contract, type Operation, routes } from "@sitewire/contracts/routes"
import type { SealingKeys, Sql } from "@sitewire/database"
import type { PrismaClient, PrismaQueries } from "@sitewire/database/prisma"
import type { AddressPolicy } from "@sitewire/egress"
import type { Logger } from "@sitewire/runtime"
import { z } from "zod"
import type { Caller } from "../auth/caller.ts"
import { fieldErrors, impossibleId, invalidRequest } from "../http/problems.ts"
import type { Problem, RouteResponse, Success } from "../http/response.ts"
import type { ReadTopics } from "../kafka/readTopics.ts"
import type { InvalidTopic } from "../kafka/topicReader.ts"
import type { ConsoleOrigin } from "../session/consoleOrigin.ts"
import type { ChangeFeed } from "../stream/createChangeFeed.ts"
import type { OpenApi } from "./openapi/jsonSchema.ts"

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

/** A route of the contract with what the console does for it. */
export type Route = Contract & {
  operation: string
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

type Of<Name extends Operation> = (typeof routes)[Name]
type Parsed<R, Part extends "params" | "query" | "body"> =
  R extends Record<Part, infer Schema extends z.ZodType> ? z.output<Schema> : unknown
type Result<R> = R extends { success: { schema: infer Schema extends z.ZodType } }
  ? z.output<Schema>
  : unknown

type Handle<R, Body> = (
  context: ApiContext,
  input: Omit<RawRequest, "params" | "query" | "body"> & {
    params: Parsed<R, "params">
    query: Parsed<R, "query">
    body: Parsed<R, "body">
  },
) => Promise<RouteResponse<Body>>

/** True if the route's requests run in a transaction, are audited, and may have an Idempotency-Key (POST). */
export function isWrite(route: Pick<Route, "method" | "reveals">): boolean {
  return route.method !== "get" || route.reveals === true
}

/**
 * Implements a route of the contract. `handle` gets only valid requests, and the compiler checks its response against
 * `success.schema`.
 */
export function implement<Name extends Operation>(
  operation: Name,
  handle: Handle<Of<Name>, Result<Of<Name>>>,
): Route
/** With `afterCommit`, the compiler checks the response of that function. */
export function implement<Name extends Operation>(
  operation: Name,
  handle: Handle<Of<Name>, unknown>,
  afterCommit: AfterCommit<Result<Of<Name>>>,
): Route
export function implement<Name extends Operation>(
  operation: Name,
  handle: Handle<Of<Name>, unknown>,
  afterCommit?: AfterCommit,
): Route {
  const contract: Contract = routes[operation]
  const { params = z.unknown(), query = z.unknown(), body = z.unknown() } = contract
  return {
    ...contract,
    operation,
    ...(afterCommit ? { afterCommit } : {}),
    async run(context, request) {
      const path = params.safeParse(request.params, { error: validationMessage })
      if (!path.success) return impossibleId(fieldErrors(path.error)[0]?.message ?? "its id is invalid")
      const parsedQuery = query.safeParse(request.query, { error: validationMessage })
      if (!parsedQuery.success) return invalidRequest("query", fieldErrors(parsedQuery.error))
      const parsedBody = body.safeParse(request.body, { error: validationMessage })
      if (!parsedBody.success) return invalidRequest("body", fieldErrors(parsedBody.error))
      const parsed = { params: path.data, query: parsedQuery.data, body: parsedBody.data }
      return handle(context, { ...request, ...parsed } as Parameters<typeof handle>[1])
    },
  }
}
