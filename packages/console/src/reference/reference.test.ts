import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import { findProgram, needs } from "@sitewire/testkit/needs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openBrowser } from "../../test/fixtures/browser.ts"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { operationsOf } from "../api/openapi/jsonSchema.ts"
import { openApiDocument } from "../api/openapi/openApiDocument.ts"
import { renderReference } from "./renderReference.ts"

const run = promisify(execFile)
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

test("the reference has each operation with its path, scopes, parameters, responses and examples", () => {
  const operations = operationsOf(document)
  expect(operations.length).toBeGreaterThan(60)
  for (const { path, method, operation } of operations) {
    const text = textOf(articleOf(operation.operationId))
    const parameters = (operation.parameters ?? []).map(({ name }) => name)
    const examples = Object.values(operation.responses).flatMap(({ content = {} }) =>
      Object.entries(content)
        .filter(([type]) => type === "application/json")
        .map(([, { example }]) => JSON.stringify(example, null, 2)),
    )
    const said = [`${method.toUpperCase()} ${path}`, operation.summary, ...parameters, ...examples]
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
  created.requestBody = { content: { "application/json": { example: "</pre><img src=x>" } } }
  const markup = renderReference(changed)
  expect(markup).not.toMatch(/<script|<img|" onclick/)
  expect(textOf(markup)).toContain(`<script>alert(1)</script>" onclick="alert(2)`)
})

test("the console accepts each example for curl", async (context) => {
  needs(() => findProgram("curl", "Install it."), context)
  const env = { PATH: process.env.PATH, SITEWIRE_API: console.origin, SITEWIRE_API_KEY: console.key }
  const rejected: string[] = []
  const operations = operationsOf({ ...document, webhooks: {} })
  // Last, because the others need what they delete.
  const deletions = operations.filter(({ method }) => method === "delete")
  for (const { operation } of [...operations.filter((each) => !deletions.includes(each)), ...deletions]) {
    const command = textOf(/<pre>(curl[\s\S]*?)<\/pre>/.exec(articleOf(operation.operationId))?.[1] ?? "")
    // A stream does not end.
    const limit = operation.operationId === "openStream" ? "1" : "60"
    const options = `--silent --max-time ${limit} --write-out '\\n%{http_code}'`
    const { stdout } = await run("sh", ["-c", `${command} ${options} || true`], { env })
    const { body = "", status = "" } = /^(?<body>[\s\S]*)\n(?<status>\d+)$/.exec(stdout)?.groups ?? {}
    const fields =
      status === "400" ? JSON.parse(body).errors.map(({ field }: { field: string }) => field) : []
    // The time in an example can be too long ago.
    const isOld =
      fields.length > 0 && fields.every((field: string) => /^(created_after|expires_at)$/.test(field))
    const isUnknown = status === "404" && body.includes("unknown-path")
    const isAccepted = /^(2..|404|409|429|503)$/.test(status) && !isUnknown
    if (!isOld && !isAccepted) rejected.push(`${command}: ${status} ${body}`)
  }
  expect(rejected).toEqual([])
})

test("llms.txt is that of the repository", async () => {
  const { status, headers, text } = await open("/llms.txt")
  expect(status).toBe(200)
  expect(headers.get("content-type")).toBe("text/plain; charset=utf-8")
  expect(headers.get("cache-control")).toBe("no-store")
  expect(text).toBe(await readFile(new URL("../../../../llms.txt", import.meta.url), "utf8"))
})
