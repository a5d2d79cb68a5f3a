import { expect, test } from "vitest"
import { findProcessFiles } from "./findProcessFiles.ts"

const sources = new Map([
  ["services/a/src/main.ts", `import { b as c, type T } from "@x/lib"\nimport "./effect.ts"`],
  ["services/a/src/effect.ts", `const { late } = await import("./late.ts")`],
  ["services/a/src/late.ts", ""],
  ["services/a/src/unused.ts", ""],
  [
    "lib/src/index.ts",
    `export { b } from "./b.ts"\nexport * from "./all.ts"\nexport { d } from "./d.ts"\nexport type { T } from "./t.ts"`,
  ],
  ["lib/src/b.ts", `import { inner } from "./inner.ts"\nexport const b = inner`],
  ["lib/src/inner.ts", "export const inner = 1"],
  ["lib/src/all.ts", "export const other = 1"],
  ["lib/src/d.ts", "export const d = 1"],
  ["lib/src/t.ts", "export type T = 1"],
])

test("a process consists of the files that it imports, and of a package's index only of what it names", () => {
  const found = findProcessFiles("services/a/src/main.ts", sources, new Map([["@x/lib", "lib/src/index.ts"]]))
  expect([...found].toSorted()).toEqual([
    "lib/src/b.ts",
    "lib/src/inner.ts",
    "services/a/src/effect.ts",
    "services/a/src/late.ts",
    "services/a/src/main.ts",
  ])
})
