import { expect, test } from "vitest"
import { findDeadLinks, findDeadMentions, findDownloads } from "./findDeadLinks.ts"
import { readPage } from "./page.ts"

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

test("a link to a file that does not exist fails", () => {
  expect(find("README.md", "\n[a](docs/none.md)")).toEqual([
    "README.md: the link docs/none.md leads to docs/none.md, which does not exist",
  ])
})

test("a link to a heading that does not exist fails, in another page and in the same one", () => {
  expect(find("README.md", "[a](docs/guide.md#none)")).toEqual([expect.stringContaining("a heading that")])
  expect(find("README.md", "[a](#none)")).toEqual([expect.stringContaining("a heading that README.md")])
})

test("a source file or document that names a path that does not exist fails", () => {
  const text =
    "// docs/guide.md and packages/kafka/src explain it, docs/old.md and `packages/none/x.ts` do not."
  expect(findDeadMentions({ path: "packages/kafka/src/log.ts", text }, files)).toEqual([
    "packages/kafka/src/log.ts: there is no file or folder docs/old.md",
    "packages/kafka/src/log.ts: there is no file or folder packages/none/x.ts",
  ])
})

test("what only resembles a path passes", () => {
  const text =
    "application/docs, packages/*/src, packages/<name>, docs/$NAME/x, https://site.example/docs/none.md"
  expect(findDeadMentions({ path: "README.md", text }, files)).toEqual([])
})

test("npx must not download a package by its name", () => {
  const found = (text: string) => findDownloads({ path: "docs/page.md", text }).length
  for (const command of ["npx @sitewire/signing send", "`npx --yes sitewire`"]) expect(found(command)).toBe(1)
  for (const command of ["npx --no -- sitewire-signing send", "npx --yes ./archive.tgz", "npx ./archive.tgz"])
    expect(found(command), command).toBe(0)
})
