import { readFile } from "node:fs/promises"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openBrowser } from "../../../test/fixtures/browser.ts"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"
import { operationsOf } from "../openapi/jsonSchema.ts"
import { openApiDocument } from "../openapi/openApiDocument.ts"
import { renderReference } from "./renderReference.ts"

const document = openApiDocument()
let console: TestConsole
let page: string
beforeAll(async () => {
  console = await startConsole()
  page = (await open("/reference")).text
})
afterAll(() => console.close())

const open = (path: string, method = "GET") => openBrowser(console.origin).open(method, path)
const textOf = (markup: string) =>
  markup.replaceAll(/<[^>]*>/g, "").replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code))
const articleOf = (id: string) => page.split(`<article id="${id}">`)[1]?.split("</article>")[0] ?? ""

test("the reference is one page that anybody may read, and that runs and loads nothing", async () => {
  const { status, headers } = await open("/reference")
  expect(status).toBe(200)
  expect(headers.get("content-type")).toBe("text/html; charset=utf-8")
  expect(headers.get("content-security-policy")).toMatch(
    /^default-src 'none'; style-src 'sha256-[\w+/]+='; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
  expect(await open("/reference", "HEAD")).toMatchObject({ status: 200, text: "" })
  expect(page).not.toMatch(
    /<script|<link(?! rel="icon" href="data:,")|@import|url\(|\bsrc=|href="(?!#|\/)(?!data:)/,
  )
})

test("the reference has each operation with its path, scopes, parameters and responses", () => {
  const operations = operationsOf(document)
  expect(operations.length).toBeGreaterThan(60)
  for (const { path, method, operation } of operations) {
    const text = textOf(articleOf(operation.operationId))
    const parameters = (operation.parameters ?? []).map(({ name }) => name)
    const said = [`${method.toUpperCase()} ${path}`, operation.summary, ...parameters]
    for (const each of said) expect(text, operation.operationId).toContain(each)
    for (const paragraph of operation.description.split("\n\n"))
      expect(text).toContain(paragraph.replaceAll("`", ""))
    for (const status of Object.keys(operation.responses)) expect(text).toMatch(new RegExp(`^${status}`, "m"))
  }
})

test("every link within the reference has a target, and every problem code a page", async () => {
  const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const links = new Set([...page.matchAll(/href="([#/][^"]*)"/g)].map(([, link = ""]) => link))
  for (const link of links) {
    if (link.startsWith("#")) expect(ids, link).toContain(link.slice(1))
    else expect((await open(link)).status, link).toBe(200)
  }
})

test("a text in the document cannot become markup", () => {
  const changed = structuredClone(document)
  const created = changed.paths["/v1/channels"]?.post
  if (!created) throw new Error("createChannel is missing")
  created.summary = created.description = `<script>alert(1)</script>" onclick="alert(2)`
  const markup = renderReference(changed)
  expect(markup).not.toMatch(/<script|" onclick/)
  expect(textOf(markup)).toContain(`<script>alert(1)</script>" onclick="alert(2)`)
})

test("llms.txt is that of the repository", async () => {
  const { status, headers, text } = await open("/llms.txt")
  expect(status).toBe(200)
  expect(headers.get("content-type")).toBe("text/plain; charset=utf-8")
  expect(headers.get("cache-control")).toBe("no-store")
  expect(text).toBe(await readFile(new URL("llms.txt", import.meta.url), "utf8"))
})
