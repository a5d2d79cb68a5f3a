import { expect, test } from "vitest"
import { readPage } from "../page.ts"
import { findDeadLinks, findDeadMentions } from "./findDeadLinks.ts"

const files = ["README.md", "docs/guide.md", "packages/kafka/src/log.ts"]
const guide = readPage("docs/guide.md", "# Guide\n\n## Two words\n")

function find(path: string, text: string): string[] {
  return findDeadLinks([guide, readPage(path, text)], files)
}

test("links to files, folders, headings and other hosts pass", () => {
  const text =
    "[a](docs/guide.md) [b](docs/guide.md#two-words) [c](packages/kafka) [d](#here) [e](https://example.org/x)\n# Here"
  expect(find("README.md", text)).toEqual([])
  expect(find("docs/README.md", "[up](../README.md) [beside](guide.md#guide)")).toEqual([])
})

test("a link to a file that does not exist fails with its page and line", () => {
  expect(find("README.md", "\n[a](docs/none.md)")).toEqual([
    "README.md:2: the link docs/none.md leads to docs/none.md, which does not exist",
  ])
})

test("a link to a heading that does not exist fails, in another page and in the same one", () => {
  expect(find("README.md", "[a](docs/guide.md#none)")).toEqual([expect.stringContaining("a heading that")])
  expect(find("README.md", "[a](#none)")).toEqual([expect.stringContaining("a heading that README.md")])
})

test("a source file that mentions a document that does not exist fails", () => {
  const source = {
    path: "packages/kafka/src/log.ts",
    text: "// docs/guide.md explains it, docs/old.md does not.",
  }
  expect(findDeadMentions(source, files)).toEqual([
    "packages/kafka/src/log.ts: there is no document docs/old.md",
  ])
})
