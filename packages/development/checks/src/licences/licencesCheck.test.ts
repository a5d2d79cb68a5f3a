import { expect, test } from "vitest"
import { findLicences } from "./licencesCheck.ts"

const lockfile = (packages: Record<string, string | undefined>) => ({
  packages: {
    "": { version: "0.1.0" },
    "packages/ours": { version: "0.1.0" },
    "node_modules/@sitewire/ours": { link: true },
    ...Object.fromEntries(
      Object.entries(packages).map(([name, license]) => [
        `node_modules/${name}`,
        { version: "1.2.3", ...(license ? { license } : {}) },
      ]),
    ),
  },
})

test("permissive licences are accepted, also as one choice of several, and ours are not counted", () => {
  const all = lockfile({
    a: "MIT",
    b: "(GPL-3.0 OR Apache-2.0)",
    c: "MIT AND ISC",
    "x/node_modules/d": "0BSD",
    e: "((GPL-3.0 OR MIT) AND ISC) OR GPL-3.0",
  })
  expect(findLicences(all)).toEqual({ packages: 5, problems: [] })
})

test.each([
  ["GPL-3.0-only"],
  ["MIT AND GPL-3.0"],
  ["(MIT OR Apache-2.0) AND GPL-3.0-only"],
  ["GPL-3.0 AND (MIT OR (ISC AND MIT))"],
  ["(MIT"],
  ["MPL-2.0"],
  [undefined],
])("the licence %s of an unknown package is a problem", (license) => {
  const { problems } = findLicences(lockfile({ unknown: license }))
  expect(problems).toEqual([expect.stringContaining("unknown 1.2.3 has ")])
})

test("an exception names a package and its licence", () => {
  expect(
    findLicences(lockfile({ lightningcss: "MPL-2.0", "lightningcss-linux-x64-gnu": "MPL-2.0" })).problems,
  ).toEqual([])
  expect(findLicences(lockfile({ lightningcss: "GPL-3.0" })).problems).toHaveLength(1)
})
