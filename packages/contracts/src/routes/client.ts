import type { z } from "zod"
import type { Route } from "./route.ts"
import type { Operation, routes } from "./routes.ts"

/** A client of the management API: a function for each operation. */
export type Client<Options> = {
  [Name in Operation]: (
    ...input: object extends Input<Name>
      ? [input?: Input<Name>, options?: Options]
      : [input: Input<Name>, options?: Options]
  ) => Promise<Output<Name>>
}

type Of<Name extends Operation> = (typeof routes)[Name]

/** Path parameters and query parameters by their names, and the body. */
export type Input<Name extends Operation> = PathOf<Of<Name>> & QueryOf<Of<Name>> & BodyOf<Of<Name>>

type PathOf<R> = R extends { params: infer Params extends z.ZodObject } ? z.output<Params> : object

type QueryOf<R> = R extends { query: infer Query extends z.ZodObject }
  ? Parameters<z.input<Query>, z.output<Query>>
  : object

type Parameters<In, Out> = {
  [Name in keyof In & keyof Out]?: Parameter<In[Name], Out[Name]> | undefined
}

/** The input of a coerced parameter is unknown to zod. Its output, as text, is valid input. */
type Parameter<In, Out> = unknown extends In ? Out : In | Extract<Out, boolean>

type BodyOf<R> = R extends { body: infer Body extends z.ZodType }
  ? undefined extends z.input<Body>
    ? { body?: z.input<Body> }
    : { body: z.input<Body> }
  : object

/** The body of a success. Of a route without a schema: the response. */
export type Output<Name extends Operation> = Success<Of<Name>> | Alternative<Of<Name>>

type Success<R> = R extends { success: { schema: infer Schema extends z.ZodType } }
  ? z.output<Schema>
  : Response

type Alternative<R> = R extends { alternative: infer Schema extends z.ZodType } ? z.output<Schema> : never

export type ClientRequest = {
  operation: Operation
  method: string
  /** With the query. */
  path: string
  body: unknown
}

/** A client whose functions send requests with `send`. */
export function createClient<Options>(
  routes: Record<string, Pick<Route, "method" | "path">>,
  send: (request: ClientRequest, options: Options | undefined) => Promise<unknown>,
): Client<Options> {
  const functions = Object.entries(routes).map(([operation, { method, path }]) => [
    operation,
    ({ body, ...parameters }: Record<string, unknown> = {}, options?: Options) => {
      const request = { operation: operation as Operation, method: method.toUpperCase(), body }
      return send({ ...request, path: fill(path, parameters) }, options)
    },
  ])
  return Object.fromEntries(functions)
}

/** A route's path with its parameters. The others become the query. */
function fill(path: string, parameters: Record<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && !path.includes(`{${name}}`)) query.set(name, String(value))
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => segment(String(parameters[name])))
  return query.size > 0 ? `${filled}?${query}` : filled
}

/**
 * An id as one segment of a path. If the id is "." or "..", URL would resolve it, and the request would call
 * another route. An id of dots therefore becomes "-", which is the id of nothing.
 */
function segment(id: string): string {
  return /^\.*$/.test(id) ? "-" : encodeURIComponent(id)
}
