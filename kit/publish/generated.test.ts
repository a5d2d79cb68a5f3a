import { readFileSync } from "node:fs"
import { recordReader, sitePaidSchema } from "@sitewire/contracts"
import { expect, test } from "vitest"
import { generated } from "./generate.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

test.each([...generated])("kit/publish/%s is what generate.ts writes", (path, text) => {
  expect(read(path), "run node kit/publish/generate.ts").toBe(text)
})

const { toValue } = await import(new URL("node/check.js", import.meta.url).href)
const vectors: { name: string; event: object; field: string | null }[] = JSON.parse(
  read("../vectors/site-paid.json"),
)

test("Sitewire accepts exactly the events of the vectors that its publishers accept", () => {
  const readSitePaid = recordReader(sitePaidSchema)
  for (const { name, event, field } of vectors) {
    // The others are about headers.
    if (field !== null && !(field in sitePaidSchema.shape)) continue
    const result = readSitePaid(Buffer.from(JSON.stringify(event)))
    expect(result.ok ? null : result.reason.split(" ")[0], name).toBe(field)
    const publish = expect(() => toValue(event), name)
    if (field === null) publish.not.toThrow()
    else publish.toThrow(`${field} `)
  }
})

test("docs/publishers.md shows the message of a refusal", () => {
  const event = vectors[0]?.event
  const [message = ""] = /^site\.paid was not published: .*$/m.exec(read("../../docs/publishers.md")) ?? []
  expect(message).toContain("created_at")
  expect(() => toValue({ ...event, created_at: "2026-03-01T12:00:00" })).toThrow(message)
})
