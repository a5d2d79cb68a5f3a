import { expect, test } from "vitest"
import { runAxe, settle, type View } from "../screenshots/browser.ts"
import { operatorViews, ownerViews, partnerViews, type Shown } from "../screenshots/views.ts"
import { findCutOff } from "./fixtures/findCutOff.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

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

async function idOf(condition: string): Promise<string> {
  const [row] = await pages.sql<{ id: string }>(
    `select id from delivery where ${condition} order by id desc limit 1`,
  )
  return row?.id ?? ""
}

async function shownToOperators(): Promise<Shown[]> {
  const failing = await idOf("channel_id = 'globex' and state = 'pending' and attempts > 2")
  const delivered = await idOf("channel_id = 'acme' and state = 'delivered'")
  return operatorViews({ failing, delivered })
}

// Each page is loaded once, and seen in all views, because most of the time goes into loading.
test.each<[scope: string | null, shown: () => Promise<Shown[]>]>([
  [null, async () => [{ name: "sign-in", path: "/jobs" }]],
  ["operate,personal-data,admin", shownToOperators],
  ["channel:acme", async () => partnerViews],
  ["site:bakery.example", async () => ownerViews],
])(
  "axe reports nothing, the policy is kept, and nothing is cut off, at five widths and in both colours: with the scope %s",
  async (scope, shown) => {
    const found: Record<string, string[]> = {}
    await using opened = await pages.open(scope)
    const { page, complaints } = opened
    for (const { name, path, prepare } of await shown()) {
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
        if (all.length > 0) found[`${name}, ${width} px, ${scheme}`] = all
      }
    }
    expect(found).toEqual({})
  },
)
