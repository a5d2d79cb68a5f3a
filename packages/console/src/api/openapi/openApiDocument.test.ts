import { expect, test } from "vitest"
import { routes } from "../routes.ts"
import { type AppContext, createRouter, expressPath } from "../server/createApp.ts"
import { openApiDocument } from "./openApiDocument.ts"

type Operation = {
  operationId: string
  parameters?: { in: string; name: string; required?: boolean }[]
  security?: object[]
  responses: Record<string, { description: string; content?: Record<string, { schema: { $ref?: string } }> }>
}

const document = openApiDocument()
const paths = document.paths as Record<string, Record<string, Operation>>
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
)

test("the document contains exactly the routes of the Express application", () => {
  const router = createRouter(routes, { prisma: {} } as AppContext, 1)
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
      expect(response.description, `${operation.operationId} ${status}`).toBeTruthy()
      if (Number(status) < 400) continue
      expect(response.content?.["application/problem+json"]?.schema.$ref).toBe("#/components/schemas/Problem")
    }
    const isPublic = operation.security?.length === 0
    expect("401" in operation.responses).toBe(!isPublic)
  }
})

test("secrets are only in the responses that exist to show them", () => {
  const returning = (field: string) =>
    operations
      .filter(({ operation }) => {
        const schema = routes.find((route) => route.operation === operation.operationId)?.success.schema
        return schema && "shape" in schema && field in (schema.shape as object)
      })
      .map(({ operation }) => operation.operationId)
  expect(returning("signing_secret")).toEqual(["createChannel"])
  expect(returning("staged_secret")).toEqual(["stageSecret"])
  expect(returning("trigger_url")).toEqual([
    "createConnection",
    "readConnectionTriggerUrl",
    "replaceConnectionToken",
  ])
})
