import { readFileSync } from "node:fs"
import { expect, test } from "vitest"
import { generated } from "./generate.ts"

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8")

test.each([...generated])("kit/publish/%s is what generate.ts writes", (path, text) => {
  expect(read(path), "run node kit/publish/generate.ts").toBe(text)
})

test.each([
  ["js", "node/quickstart.js"],
  ["python", "python/quickstart.py"],
  ["go", "go/quickstart/main.go"],
  ["java", "java/src/test/java/example/Quickstart.java"],
  ["csharp", "csharp/tests/Quickstart.cs"],
])("docs/publishers.md shows the quickstart in %s that publish.extended.test.ts runs", (language, path) => {
  expect(read("../../docs/publishers.md")).toContain(`\`\`\`${language}\n${read(path)}\`\`\`\n`)
})

test("docs/publishers.md shows the message of a refusal", async () => {
  const { toValue } = await import(new URL("node/check.js", import.meta.url).href)
  const [{ event }] = JSON.parse(read("../vectors/site-paid.json"))
  const [message = ""] = /^site\.paid was not published: .*$/m.exec(read("../../docs/publishers.md")) ?? []
  expect(message).toContain("created_at")
  expect(() => toValue({ ...event, created_at: "2026-03-01T12:00:00" })).toThrow(message)
})
