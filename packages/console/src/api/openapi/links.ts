import type { ZodOpenApiLinksObject } from "zod-openapi"
import type { Route } from "../defineRoute.ts"

/**
 * Links from a route to the routes below `<collection>/{id}`: from the collection's routes by the id in their response,
 * and from the routes of one resource by the id in their path.
 */
export function linksOf(route: Route, routes: readonly Route[]): ZodOpenApiLinksObject {
  const own = /^(.*\/\{id\})(\/.*)?$/.exec(route.path)
  const found = own
    ? linksTo(below(own[1] ?? "", routes), "$request.path.id", route)
    : linksTo(below(`${collectionOf(route)}/{id}`, routes), idIn(route), route)
  return { ...found, ...nextPage(route), ...explicitLinks(route) }
}

/** The list of a path such as `/v1/jobs/resend`, which creates entries of `/v1/jobs`. */
function collectionOf({ path }: Route): string {
  return /^\/v1\/[^/]+/.exec(path)?.[0] ?? path
}

function idIn({ method }: Route): string {
  return method === "get" ? "$response.body#/data/0/id" : "$response.body#/id"
}

function below(path: string, routes: readonly Route[]): Route[] {
  return routes.filter((route) => route.path === path || route.path.startsWith(`${path}/`))
}

function linksTo(targets: readonly Route[], id: string, from: Route): ZodOpenApiLinksObject {
  const others = targets.filter(
    ({ operation, path }) => operation !== from.operation && path.split("{").length === 2,
  )
  return Object.fromEntries(
    others.map(({ operation, summary }) => [
      operation,
      { operationId: operation, description: `${summary}.`, parameters: { id } },
    ]),
  )
}

function nextPage({ operation, query, path }: Route): ZodOpenApiLinksObject {
  if (!query || !("cursor" in query.shape)) return {}
  const parameters = {
    cursor: "$response.body#/next_cursor",
    ...(path.includes("{id}") ? { id: "$request.path.id" } : {}),
  }
  return { nextPage: { operationId: operation, description: "The next page.", parameters } }
}

function explicitLinks({ links = {} }: Route): ZodOpenApiLinksObject {
  return Object.fromEntries(
    Object.entries(links).map(([operation, parameters]) => [
      operation,
      { operationId: operation, parameters },
    ]),
  )
}
