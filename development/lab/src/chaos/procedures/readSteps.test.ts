import { expect, test } from "vitest"
import { procedures, suspensionPage } from "./procedures.ts"
import { readSteps } from "./readSteps.ts"

const root = new URL("../../../../../", import.meta.url)

test("only marked examples are executed, without the indentation of their list", async () => {
  const steps = await readSteps(new URL("docs/operators/procedures/topic-prefix.md", root))
  expect(steps[0]).toMatch(/^suspend\nsed -i /)
  expect(steps.join("\n")).not.toContain("--delete")
})

test.each(Object.entries(procedures))("%s has steps on each of its pages", async (_, { pages }) => {
  for (const page of pages) expect((await readSteps(new URL(page, root))).length).toBeGreaterThan(0)
})

test("whatever changes what a controller applies is between `suspend` and `resume`", async () => {
  expect((await readSteps(new URL(suspensionPage, root))).join("\n")).toContain("suspend() {")
  const pages = Object.values(procedures).flatMap(({ pages }) => pages)
  let suspended = 0
  for (const page of pages) {
    const lines = (await readSteps(new URL(page, root))).join("\n").split("\n")
    const changes = lines.flatMap((line, at) =>
      /kubectl -n sitewire (scale|set|rollout restart|delete|patch)|kubectl apply/.test(line) ? [at] : [],
    )
    if (changes.length === 0) continue
    suspended += 1
    const [begin, end] = [lines.indexOf("suspend"), lines.indexOf("resume")]
    expect([page, begin >= 0 && begin < (changes[0] ?? 0)]).toEqual([page, true])
    expect([page, end > (changes.at(-1) ?? 0)]).toEqual([page, true])
  }
  expect(suspended).toBe(5)
})
