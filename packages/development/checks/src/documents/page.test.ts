import { expect, test } from "vitest"
import { readPage } from "./page.ts"

test("anchors are those that forges make, numbered if a heading is repeated", () => {
  const text = "# What `is` it?\n\n## A first delivery\n\n## A first delivery\n\n## [Linked](x.md) part\n"
  expect(readPage("a.md", text).anchors).toEqual([
    "what-is-it",
    "a-first-delivery",
    "a-first-delivery-1",
    "linked-part",
  ])
})

test("links, code spans and code blocks are found with their lines", () => {
  const text = "See [this](b.md#x) and `npm test`.\n\n<!-- tested -->\n```sh\necho [no](link.md)\n```\n"
  expect(readPage("a.md", text)).toMatchObject({
    links: [{ text: "b.md#x", line: 1 }],
    codeSpans: [{ text: "npm test", line: 1 }],
    codeBlocks: [{ language: "sh", text: "echo [no](link.md)\n", line: 4, marker: "tested" }],
  })
})

test("a code span that continues on the next line is one, and none continues behind an empty line", () => {
  const { codeSpans } = readPage("a.md", "See `sitewire\nverify` here.\n\nAn odd ` one.\n\nAnd `npm test`.\n")
  expect(codeSpans).toEqual([
    { text: "sitewire verify", line: 1 },
    { text: "npm test", line: 6 },
  ])
})

test("a code block within a list item loses its indent, and headings within a block are none", () => {
  const text = "1. Do\n\n   ```sh\n   # a comment\n     indented\n   ```\n"
  const { codeBlocks, anchors } = readPage("a.md", text)
  expect(codeBlocks).toMatchObject([{ text: "# a comment\n  indented\n", marker: null }])
  expect(anchors).toEqual([])
})
