import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { asyncApiDocument, recordReader, recordSchemas, type sitePaidSchema } from "@sitewire/contracts"
import { findUv, needs } from "@sitewire/testkit/needs"
import { beforeAll, expect, test } from "vitest"
import type { z } from "zod"
import { schemaFiles } from "../../src/documents/reference/schemaFiles.ts"
import { compilePatterns, findPatterns } from "./fixtures/compilePatterns.ts"
import { installMs, installNodeTools, installPythonTools, toolsFolder } from "./fixtures/installTools.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const schemas = Object.entries(recordSchemas).map(([name, schema]) => {
  const path = `docs/reference/schemas/${name}.json`
  return { name, schema: schema as z.ZodType, path, json: JSON.parse(schemaFiles().get(path) ?? "") }
})

let nodeTool: NodeJS.Require
let python: string

const python3 = needs(findUv)

beforeAll(async () => {
  if (!python3) return
  const [folder, path] = await Promise.all([installNodeTools(), installPythonTools()])
  nodeTool = createRequire(join(folder, "package.json"))
  python = path
}, installMs)

test("the parser of the AsyncAPI initiative finds no errors and no warnings", async () => {
  const { Parser } = nodeTool("@asyncapi/parser")
  const diagnostics: { message: string; path: string[]; severity: number }[] = await new Parser().validate(
    JSON.stringify(asyncApiDocument()),
  )
  // 0: error, 1: warning, 2 and 3: notices, such as that a newer version of AsyncAPI exists.
  expect(diagnostics.filter(({ severity }) => severity < 2)).toEqual([])
})

const valid: z.input<typeof sitePaidSchema> = {
  id: "order-10042",
  channel: "acme",
  reference: "",
  site_url: "https://bücher.example/a?b#c",
  console_url: "HTTP://console.example",
  name: "Ünïcode 店",
  email: "jürgen@bücher.example",
  created_at: "2024-02-29T12:00:00.123+01:00",
}
const records: unknown[] = [
  valid,
  { ...valid, price: 12 },
  ...Object.keys(valid).flatMap((field) => [
    { ...valid, [field]: undefined },
    { ...valid, [field]: 7 },
    { ...valid, [field]: null },
    { ...valid, [field]: "x".repeat(17_000) },
  ]),
  { ...valid, id: "" },
  { ...valid, id: "a\u0000b" },
  { ...valid, channel: "a\u0085b" },
  { ...valid, channel: "a b" },
  { ...valid, site_url: "ftp://shop.example" },
  { ...valid, site_url: "/relative" },
  { ...valid, site_url: "https://" },
  { ...valid, email: "no address" },
  { ...valid, email: "two@at@signs" },
  { ...valid, created_at: "2026-02-29T12:00:00Z" },
  { ...valid, created_at: "2026-03-01T12:00:00" },
  { ...valid, created_at: "2026-03-01" },
  { ...valid, created_at: "2026-03-01T24:00:00Z" },
  [],
  "text",
  null,
]

test("a publisher's validators in JavaScript and Python accept the same records as Sitewire", () => {
  const { schema, json, path } = schemas.find(({ name }) => name === "site.paid") ?? {}
  if (!schema || !path) throw new Error("there is no schema of site.paid")
  const read = recordReader(schema)
  const expected = records.map((record) => read(Buffer.from(JSON.stringify(record))).ok)
  expect(expected.filter((ok) => ok)).toHaveLength(4)
  const validate = ajv().compile(json)
  expect(records.map((record) => validate(JSON.parse(JSON.stringify(record))))).toEqual(expected)
  const args = [join(toolsFolder, "validate_records.py"), join(root, path)]
  const output = execFileSync(python, args, { input: JSON.stringify(records), encoding: "utf8" })
  expect(JSON.parse(output)).toEqual(expected)
})

test.each(schemas)("the example of $name fits its schema, and Sitewire reads it", ({ schema, json }) => {
  const [example] = json.examples
  const validate = ajv().compile(json)
  expect(validate(example), JSON.stringify(validate.errors)).toBe(true)
  expect(recordReader(schema)(Buffer.from(JSON.stringify(example)))).toEqual({ ok: true, value: example })
  for (const [name, field] of Object.entries<{ description?: string; examples?: unknown[] }>(
    json.properties,
  )) {
    expect(field.description, name).toBeTruthy()
    expect(field.examples, name).toHaveLength(1)
  }
})

function ajv() {
  const { Ajv } = nodeTool("ajv")
  const instance = new Ajv({ allErrors: true })
  nodeTool("ajv-formats")(instance)
  return instance
}

test("all patterns of records compile in JavaScript, Python and Go", (context) => {
  compilePatterns(context, python, findPatterns(schemas.map(({ json }) => json)))
})
