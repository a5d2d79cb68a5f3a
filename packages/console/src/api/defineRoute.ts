import type { IncomingHttpHeaders } from "node:http"
import type { SealingKeys, Sql } from "@sitewire/database"
import type { PrismaClient } from "@sitewire/database/prisma"
import type { AddressPolicy } from "@sitewire/egress"
import { z } from "zod"
import { type Answer, problem } from "./response.ts"
import { fieldFaults } from "./fieldErrors.ts"
import type { InvalidTopic } from "../jobs/job.ts"

/** What the handlers use. */
export type Parts = {
  prisma: PrismaClient
  sealingKeys: SealingKeys
  /** Which of the partners' addresses are accepted: notification addresses and sources that are pulled. */
  addressPolicy: AddressPolicy
  /** Which executors' addresses are accepted, for connections that delegate their syncs. */
  executorPolicy: AddressPolicy
  /** Put before the path of trigger addresses. Undefined: `https://<site>`. */
  gatewayOrigin: string | undefined
  /** For statements that matter. */
  sql: Sql
  /** The topic of refused records. */
  invalid: InvalidTopic
  /** Put before the topics' names. */
  topicPrefix: string
  /** The OpenAPI document, as it is answered. */
  document: object
}

type RawRequest = {
  params: unknown
  query: unknown
  body: unknown
  headers: IncomingHttpHeaders
  /** HEAD: the headers of GET without its body. */
  headOnly: boolean
  /** Id and name of the key that asks; empty where a route needs none. */
  caller: string
}

type Description = {
  method: "get" | "post" | "patch"
  /** In OpenAPI's form, `/v1/channels/{id}`. Also what logs and metrics name, as paths hold ids. */
  path: string
  /** Unique; code generators name functions after it. */
  operation: string
  summary: string
  description?: string
  /** Answered without a key. */
  open?: true
  /** Statuses of this route's own beside those that follow from its description, and what each means. */
  others?: Record<number, string>
  /** A success of another kind, with the kind "other". */
  alternative?: { status: number; description: string; schema: z.ZodType }
}

type Schemas<Params, Query, Body, Result> = {
  params?: Params
  query?: Query
  body?: Body
  success: { status: number; description: string; schema?: Result; headers?: z.ZodObject }
}

/** One operation of the API, as data: Express's router and the OpenAPI document are both made from a list of these. */
export type Route = Description &
  Schemas<z.ZodObject, z.ZodObject, z.ZodType, z.ZodType> & {
    run(parts: Parts, request: RawRequest): Promise<Answer>
  }

type Input<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> = {
  params: z.output<Params>
  query: z.output<Query>
  body: z.output<Body>
  headers: IncomingHttpHeaders
  headOnly: boolean
  caller: string
}

/**
 * Describes an operation and parses what it takes: `handle` gets only what fits the schemas, and the compiler holds
 * its answer to `success.schema`.
 */
export function defineRoute<
  Result extends z.ZodType,
  Params extends z.ZodObject = z.ZodObject,
  Query extends z.ZodObject = z.ZodObject,
  Body extends z.ZodType = z.ZodType,
>(
  spec: Description &
    Schemas<Params, Query, Body, Result> & {
      handle(parts: Parts, input: Input<Params, Query, Body>): Promise<Answer<z.output<Result>>>
    },
): Route {
  const { handle, ...description } = spec
  const { params, query, body } = description
  return {
    ...description,
    async run(parts, request) {
      const path = (params ?? anything).safeParse(request.params)
      // No resource has an id of such a form.
      if (!path.success)
        return problem(404, `Nothing is at this address: ${fieldFaults(path.error)[0]?.message}.`)
      const asked = (query ?? anything).safeParse(request.query)
      if (!asked.success) return problem(400, "The query cannot be used.", fieldFaults(asked.error))
      const sent = (body ?? z.unknown()).safeParse(request.body)
      if (!sent.success) return problem(400, "The body cannot be used.", fieldFaults(sent.error))
      return handle(parts, {
        params: path.data as z.output<Params>,
        query: asked.data as z.output<Query>,
        body: sent.data as z.output<Body>,
        headers: request.headers,
        headOnly: request.headOnly,
        caller: request.caller,
      })
    },
  }
}

/** What a route declares no schema for is not looked at. */
const anything = z.unknown()
