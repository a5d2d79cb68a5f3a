import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { mutants } from "./mutants.ts"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const read = (file: string) => readFile(join(root, file), "utf8").catch(() => "")

test.each(mutants)("the code and the test that this fault names exist: $name", async (mutant) => {
  expect((await read(mutant.file)).split(mutant.find), `occurrences in ${mutant.file}`).toHaveLength(2)
  const tests = await Promise.all(mutant.tests.map(read))
  for (const text of tests) expect(text).not.toBe("")
  if (!tests.some((text) => text.includes("test.each"))) expect(tests.join()).toContain(mutant.testName ?? "")
  // Titles of parameterised tests contain placeholders, so only the words around them can be compared.
  const words = (mutant.testName ?? "").split(/\W+/).filter((word) => word.length > 3)
  expect(words.filter((word) => !tests.some((text) => text.includes(word)))).toEqual([])
})
