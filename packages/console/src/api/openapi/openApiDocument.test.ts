import { expect, test } from "vitest"
import type { AppContext } from "../implement.ts"
import { routes } from "../routes.ts"
import { createRouter, expressPath } from "../server/createApp.ts"
import { type OpenApi, resolveResponse } from "./jsonSchema.ts"
import { openApiDocument } from "./openApiDocument.ts"

/** Calls `visit` with each object of the document, and its path. */
function walk(value: object, visit: (path: string, value: Record<string, unknown>) => void, path = ""): void {
  visit(path, { ...value })
  for (const [name, inner] of Object.entries(value))
    if (typeof inner === "object" && inner !== null) walk(inner, visit, `${path}/${name}`)
}

/** Lists the fields, parameters and headers without a description. */
function findUndocumented(document: OpenApi): string[] {
  const found: string[] = []
  walk(document, (path, { in: place, $ref, description }) => {
    const isDescribed = place !== undefined || /\/(properties|headers)\/[^/]+$/.test(path)
    if (isDescribed && $ref === undefined && !description) found.push(path)
  })
  return found
}

const document = openApiDocument()
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test("the document contains exactly the routes of the Express application", () => {
  const router = createRouter(routes, { prisma: {} } as AppContext, {
    takeTurn: async (_response, _secret, find) => find(),
    mostExpensive: 1,
  })
  const served = router.stack.flatMap(({ route }) =>
    route
      ? route.stack.flatMap(({ method }) => (method === undefined ? [] : [`${method} ${route.path}`]))
      : [],
  )
  const documented = operations.map(({ path, method }) => `${method} ${expressPath(path)}`)
  expect(new Set(served)).toEqual(new Set(documented))
  expect(documented.length).toBe(routes.length)
})

test("every reference in the document resolves", () => {
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(
    ([, path]) => path ?? "",
  )
  expect(references.length).toBeGreaterThan(10)
  for (const path of references) {
    let target: unknown = document
    for (const step of path.split("/")) target = (target as Record<string, unknown> | undefined)?.[step]
    expect(target, path).toBeDefined()
  }
})

test("every operation has a unique name, its path's parameters and its error responses", () => {
  const names = operations.map(({ operation }) => operation.operationId)
  expect(new Set(names).size).toBe(names.length)
  for (const { path, operation } of operations) {
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
    const declared = (operation.parameters ?? []).filter((parameter) => parameter.in === "path")
    expect(declared).toEqual(inPath.map((name) => expect.objectContaining({ name, required: true })))
    for (const [status, response] of Object.entries(operation.responses)) {
      const description = resolveResponse(document, response)?.description
      expect(description, `${operation.operationId} ${status}`).toBeTruthy()
      if (Number(status) < 400) continue
      const content = resolveResponse(document, response)?.content?.["application/problem+json"]
      expect(content?.schema?.$ref).toBe("#/components/schemas/Problem")
    }
    const isPublic = operation.security?.length === 0
    for (const status of ["401", "403", "429", "503"])
      expect(status in operation.responses, `${operation.operationId} ${status}`).toBe(!isPublic)
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(["405", "500"]))
    expect(operation.tags).toHaveLength(1)
  }
})

test("every field, parameter and header has a description", () => {
  expect(findUndocumented(document)).toEqual([])
  const [, channel] = Object.entries(document.components.schemas).find(([name]) => name === "Channel") ?? []
  const incomplete = structuredClone(document)
  incomplete.components.schemas.Channel = {
    ...channel,
    properties: { ...channel?.properties, colour: { type: "string" } },
  }
  expect(findUndocumented(incomplete)).toEqual(["/components/schemas/Channel/properties/colour"])
})

test("patterns use nothing that only some languages understand", () => {
  const patterns = new Set<string>()
  walk(document, (_path, { pattern }) => {
    if (typeof pattern === "string") patterns.add(pattern)
  })
  expect(patterns.size).toBeGreaterThan(8)
  for (const pattern of patterns) {
    expect(() => new RegExp(pattern, "u"), pattern).not.toThrow()
    expect(pattern).not.toMatch(/\\[pPuwWdDsSbBkZz]|\(\?/)
  }
})

test("of exclusive fields, the schema allows one", () => {
  const { oneOf } = document.components.schemas.CreateErasureJob ?? {}
  expect(oneOf?.map(({ required }) => required)).toEqual([
    ["email", "reason"],
    ["site_url", "reason"],
  ])
})

test("secrets are only in the responses that exist to show them", () => {
  const returning = (field: string) =>
    operations
      .filter(({ operation }) => {
        const schema = routes.find((route) => route.operation === operation.operationId)?.success.schema
        return schema && "shape" in schema && field in (schema.shape as object)
      })
      .map(({ operation }) => operation.operationId)
  expect(returning("signing_secret").sort()).toEqual([
    "createChannel",
    "createConnection",
    "replaceConnectionSecret",
  ])
  expect(returning("staged_secret")).toEqual(["stageSecret", "readStagedSecret"])
  expect(returning("standard_webhooks_secret")).toEqual(["createChannel", "stageSecret", "readStagedSecret"])
  expect(returning("trigger_url")).toEqual([
    "createConnection",
    "readConnectionTriggerUrl",
    "replaceConnectionToken",
  ])
})
