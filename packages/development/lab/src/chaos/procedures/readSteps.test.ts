import { expect, test } from "vitest"
import { procedures } from "./procedures.ts"
import { readSteps } from "./readSteps.ts"

const root = new URL("../../../../../../", import.meta.url)

test("only marked examples are executed, without the indentation of their list", async () => {
  const steps = await readSteps(new URL("docs/operators/procedures/topic-prefix.md", root))
  expect(steps[0]?.split("\n")[0]).toMatch(/^sed -i /)
  expect(steps.join("\n")).not.toContain("--delete")
})

test.each(Object.entries(procedures))("%s has steps on each of its pages", async (_, { pages }) => {
  for (const page of pages) expect((await readSteps(new URL(page, root))).length).toBeGreaterThan(0)
})
