import { readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"

const root = join(import.meta.dirname, "../..")
const libraries = [
  "packages/signing",
  ...["python", "go", "java", "php", "ruby", "csharp"].map((it) => `kit/${it}`),
]

test.each(libraries)("the page of %s has the sections of all languages, in the same order", (folder) => {
  const page = readFileSync(join(root, folder, "README.md"), "utf8")
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
  expect(headings.slice(0, 8)).toEqual([
    "Install",
    "Verify",
    "Respond",
    "Process once",
    "Test",
    "Go live",
    "Call the connector trigger",
    "Verify requests to your API",
  ])
})
