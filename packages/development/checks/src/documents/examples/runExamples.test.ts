import { expect, test } from "vitest"
import { readPage } from "../page.ts"
import { findExamples, findUnknownMarkers, markers, runExample } from "./runExamples.ts"

const surroundings = { cwd: import.meta.dirname, env: { PATH: process.env.PATH } }

function exampleOf(script: string, printed?: string) {
  const text = `<!-- ${markers.check} -->\n\`\`\`sh\n${script}\n\`\`\`\n`
  const page = readPage("a.md", printed === undefined ? text : `${text}\n\`\`\`text\n${printed}\n\`\`\`\n`)
  const [example] = findExamples(page, [markers.check])
  if (!example) throw new Error("no example was found")
  return example
}

test("an example that succeeds and prints what the page shows passes", async () => {
  expect(await runExample(exampleOf("true"), surroundings)).toEqual({ problem: null, output: "" })
  const printing = exampleOf("echo valid: 12 bytes", "valid: … bytes")
  expect(await runExample(printing, surroundings)).toEqual({ problem: null, output: "valid: 12 bytes\n" })
})

test("an example that fails is reported with its page, line, exit code and output", async () => {
  const { problem } = await runExample(exampleOf("echo broken\nfalse\necho not reached"), surroundings)
  expect(problem).toBe("a.md:2: the example ends with 1:\nbroken\n")
})

test("an example that prints something else than the page shows is reported", async () => {
  const { problem } = await runExample(exampleOf("echo invalid", "valid: … bytes"), surroundings)
  expect(problem).toContain("does not print what the page shows")
})

test("an example without a marker is not run, and a misspelt marker is reported", () => {
  const page = readPage("a.md", "```sh\nfalse\n```\n\n<!-- tested by npm -->\n```sh\nfalse\n```\n")
  expect(findExamples(page, Object.values(markers))).toEqual([])
  expect(findUnknownMarkers(page)).toEqual([expect.stringMatching(/^a\.md:6: "tested by npm" is none of/)])
})
