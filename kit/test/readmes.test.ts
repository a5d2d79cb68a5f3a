import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, test } from "vitest"
import { deliveries, timedDeliveries } from "./deliveries.ts"
import { readPromised } from "./promised.ts"

const root = join(import.meta.dirname, "../..")
const libraries = ["packages/signing", ...["python", "go", "java", "php", "ruby"].map((it) => `kit/${it}`)]

test.each(libraries)("the page of %s has the sections of all languages, in the same order", (folder) => {
  const page = readFileSync(join(root, folder, "README.md"), "utf8")
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
  expect(headings.filter((heading) => heading !== "Go live").slice(0, 5)).toEqual([
    "Install",
    "Verify",
    "Test",
    "Call the connector trigger",
    "Verify requests to your API",
  ])
})

test("docs/partners/receive.md says what a receiver responds to each delivery", () => {
  const sent = [...Object.keys(deliveries), ...Object.keys(timedDeliveries)]
  expect([...readPromised().keys()].sort()).toEqual(sent.sort())
})

test("the library and the examples of every language are tested", () => {
  const kit = join(import.meta.dirname, "..")
  const tested = readdirSync(import.meta.dirname).flatMap(
    (file) => /^(\w+)\.extended\.test\.ts$/.exec(file)?.[1] ?? [],
  )
  const languages = readdirSync(kit).filter((folder) => existsSync(join(kit, folder, "test.sh")))
  const ofExamples = readdirSync(join(kit, "examples")).map((name) => name.split("-")[0] ?? "")
  expect(tested).toEqual(expect.arrayContaining([...languages, ...ofExamples]))
})
