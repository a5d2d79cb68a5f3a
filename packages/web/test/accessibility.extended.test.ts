import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { runAxe, settle, type View } from "./fixtures/browser.ts"
import { findCutOff } from "./fixtures/findCutOff.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"
import { operatorViews, ownerViews, partnerViews, type Shown } from "./fixtures/views.ts"

const pages = pagesOfThisFile()

/**
 * All rules in the view that shows most. In others, those whose result depends on colours, and on the width. What is cut off
 * does not depend on colours.
 */
const views: (View & { rules?: string[] })[] = [
  { width: 2_560, height: 1_440, scheme: "light" },
  { width: 1_440, height: 900, scheme: "dark", rules: ["color-contrast"] },
  { width: 1_024, height: 768, scheme: "dark", rules: [] },
  { width: 768, height: 1_024, scheme: "light", rules: [] },
  { width: 360, height: 740, scheme: "light", rules: ["target-size", "scrollable-region-focusable"] },
]

/** Leaves some operations and schemas. The others have the same markup, and axe takes seconds for all of them. */
const shorten = (page: Page) =>
  page.evaluate(() => {
    for (const each of document.querySelectorAll(
      "article:nth-of-type(n + 3), #schemas ~ dl:nth-of-type(n + 5)",
    ))
      each.remove()
  })

// Each page is loaded once, and seen in all views, because most of the time goes into loading.
test.each<[scope: string | null, shown: () => Promise<Shown[]>]>([
  [
    null,
    async () => [
      { name: "sign-in", path: "/jobs" },
      { name: "API reference", path: "/reference", prepare: shorten },
    ],
  ],
  ["operate,personal-data,admin", () => operatorViews(pages.sql)],
  ["channel:acme", async () => partnerViews],
  ["site:bakery.example", async () => ownerViews],
])(
  "axe reports nothing, the policy is kept, and nothing is cut off, at five widths and in both colours: with the scope %s",
  async (scope, shown) => {
    await using opened = await pages.open(scope)
    const { page, complaints } = opened
    page.setDefaultTimeout(45_000)
    async function check({ name, path, prepare }: Shown) {
      const ofPage: Record<string, string[]> = {}
      await opened.go(path)
      await settle(page)
      await prepare?.(page)
      for (const { width, height, scheme, rules } of views) {
        await page.setViewportSize({ width, height })
        await page.emulateMedia({ colorScheme: scheme })
        await settle(page)
        const all = [
          ...(rules?.length === 0 ? [] : await runAxe(page, rules)),
          ...complaints.splice(0),
          ...(await findCutOff(page)),
        ]
        if (all.length > 0) ofPage[`${name}, ${width} px, ${scheme}`] = all
      }
      return ofPage
    }
    /** Checks the page again if requests failed because the machine's networks changed: it then loads itself again. */
    async function checkUndisturbed(each: Shown) {
      for (let tries = 1; ; tries++) {
        const before = opened.networkChanges()
        const isDisturbed = () => tries < 5 && opened.networkChanges() > before
        try {
          const ofPage = await check(each)
          if (!isDisturbed()) return ofPage
        } catch (error) {
          if (!isDisturbed()) throw error
        }
        complaints.splice(0)
      }
    }
    const found: Record<string, string[]> = {}
    for (const each of await shown()) Object.assign(found, await checkUndisturbed(each))
    expect(found).toEqual({})
  },
  600_000,
)

test("the API reference shows every operation of the document, and loads nothing else", async () => {
  await using opened = await pages.open(null)
  const requests: string[] = []
  opened.page.on("request", (request) => requests.push(request.url()))
  await opened.go("/reference")
  expect(requests).toEqual([`${pages.origin}/reference`])
  const described = await (await fetch(`${pages.origin}/openapi.json`)).text()
  const operations = [...new Set(described.match(/(?<="operationId":")\w+/g))]
  expect(operations.length).toBeGreaterThan(60)
  const hidden = await opened.page.evaluate(
    (ids) => ids.filter((id) => !document.getElementById(id)?.checkVisibility()),
    operations,
  )
  expect(hidden).toEqual([])
  await opened.page.setViewportSize({ width: 360, height: 740 })
  expect(await opened.page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)
  expect(opened.complaints).toEqual([])
})
