import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { runAxe, settle } from "./fixtures/browser.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

async function newest(channel: string) {
  const [row] = await pages.sql<{ id: string; event: string; reference: string; site: string }>(
    `select id, event_id as event, body::json ->> 'reference' as reference, body::json ->> 'site_url' as site
       from (select id, event_id, convert_from(body, 'UTF8') as body from delivery
              where channel_id = $1 order by id desc limit 1) as newest`,
    [channel],
  )
  if (!row) throw new Error(`${channel} has no delivery`)
  return row
}

/** A button that was pressed keeps its tooltip while the pointer is on it. */
async function leave(page: Page): Promise<void> {
  await page.mouse.move(0, 0)
  await poll(() => page.getByRole("tooltip").count()).toBe(0)
  await settle(page)
}

test("reference and site are in the list, in the facts and in what a search finds, each with a button that copies it", async () => {
  const { id, event, reference, site } = await newest("acme")
  await using opened = await pages.open("operate")
  const { page } = opened
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
  const copied = () => page.evaluate(() => navigator.clipboard.readText())
  await opened.go("/deliveries?channel=acme")
  const row = page.getByRole("row").filter({ hasText: event })
  await row.getByRole("button", { name: `Copy: the reference ${reference}` }).click()
  await poll(copied).toBe(reference)
  await row.getByRole("button", { name: `Copy: the site ${site}` }).click()
  await poll(copied).toBe(site)
  expect(page.url()).toContain("/deliveries?channel=acme")
  await leave(page)
  expect(await runAxe(page)).toEqual([])
  await page.setViewportSize({ width: 360, height: 740 })
  await settle(page)
  expect(await runAxe(page, ["target-size", "scrollable-region-focusable"])).toEqual([])
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await page.setViewportSize({ width: 1_440, height: 900 })

  await row.getByRole("link").click()
  for (const [name, value] of Object.entries({
    "the delivery id": id,
    [`the reference ${reference}`]: reference,
    [`the site ${site}`]: site,
  })) {
    await page
      .getByRole("main")
      .getByRole("button", { name: `Copy: ${name}` })
      .click()
    await poll(copied).toBe(value)
  }
  await leave(page)
  expect(await runAxe(page)).toEqual([])

  await page.keyboard.press("/")
  await page.locator("[role=combobox]:focus").waitFor()
  await page.keyboard.type(id)
  const hit = page.getByRole("option").filter({ hasText: event })
  await hit.getByText(reference).waitFor()
  expect(await hit.textContent()).toMatch(/\d\d:\d\d:\d\d/)
  expect(await hit.textContent()).toContain(site)
  expect(await runAxe(page)).toEqual([])
})
