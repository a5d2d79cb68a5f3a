import { expect, test } from "vitest"
import { runAxe, settle } from "../screenshots/browser.ts"
import { operatorViews, ownerViews, partnerViews } from "../screenshots/views.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

const views = [
  { width: 2_560, height: 1_440, scheme: "light" },
  { width: 1_440, height: 900, scheme: "dark" },
  { width: 360, height: 740, scheme: "light" },
] as const

test.each(views)(
  "axe reports nothing, the policy is kept and nothing overflows: $scheme, $width px",
  async (view) => {
    const idOf = async (condition: string) => {
      const [row] = await pages.sql<{ id: string }>(
        `select id from delivery where ${condition} order by id desc limit 1`,
      )
      return row?.id ?? ""
    }
    const ids = {
      failing: await idOf("channel_id = 'globex' and state = 'pending' and attempts > 2"),
      delivered: await idOf("channel_id = 'acme' and state = 'delivered'"),
    }
    const users = [
      { scope: null, shown: [{ name: "sign-in", path: "/jobs" }] },
      { scope: "operate", shown: operatorViews(ids) },
      { scope: "channel:acme", shown: partnerViews },
      { scope: "site:bakery.example", shown: ownerViews },
    ]
    const found: Record<string, string[]> = {}
    for (const { scope, shown } of users) {
      await using opened = await pages.open(scope, view)
      const { page, complaints } = opened
      for (const { name, path, ...more } of shown) {
        await opened.go(path)
        await settle(page)
        if ("prepare" in more) await more.prepare?.(page)
        const overflow = await page.evaluate(
          () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
        )
        const all = [
          ...(await runAxe(page)),
          ...complaints.splice(0),
          ...(overflow > 0 ? [`${overflow} px too wide`] : []),
        ]
        if (all.length > 0) found[name] = all
      }
    }
    expect(found).toEqual({})
  },
)
