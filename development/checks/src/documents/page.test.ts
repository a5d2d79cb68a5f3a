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

test("links and code blocks are found", () => {
  const text = "See [this](b.md#x) and `[no](link.md)`.\n\n<!-- tested -->\n```sh\necho [no](link.md)\n```\n"
  expect(readPage("a.md", text)).toMatchObject({
    links: ["b.md#x"],
    codeBlocks: [{ language: "sh", text: "echo [no](link.md)\n", line: 4, marker: "tested" }],
  })
})

test("a code block within a list item loses its indent, and headings within a block are none", () => {
  const text = "1. Do\n\n   ```sh\n   # a comment\n     indented\n   ```\n"
  const { codeBlocks, anchors } = readPage("a.md", text)
  expect(codeBlocks).toMatchObject([{ text: "# a comment\n  indented\n", marker: null }])
  expect(anchors).toEqual([])
})
