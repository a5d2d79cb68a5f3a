import type { Page } from "playwright-core"
import { afterAll, expect, test } from "vitest"
import { settle } from "./fixtures/browser.ts"
import { countClicks } from "./fixtures/countClicks.ts"
import { confirmDialog, openDialog, press } from "./fixtures/dialogs.ts"
import { insertDelivery } from "./fixtures/insertDelivery.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()
const everything = "operate,personal-data,admin"
const taken: string[] = []
afterAll(() => void process.stdout.write(`${taken.join("\n")}\n`))

/** A task of an operator, from the start page to what was needed. `most`: presses of the pointer. Fields are typed into. */
function journey(name: string, most: number, walk: (page: Page) => Promise<void>): void {
  test(`${name}: at most ${most} clicks`, async () => {
    await using opened = await pages.open(everything)
    const { page } = opened
    const clicks = await countClicks(page)
    await opened.go("/")
    await settle(page)
    const startedAt = performance.now()
    await walk(page)
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1)
    taken.push(`${name}: ${clicks()} clicks, ${seconds} s`)
    expect(clicks()).toBeGreaterThan(0)
    expect(clicks()).toBeLessThanOrEqual(most)
  })
}

/** Opens what the search finds first, by keyboard. */
async function find(page: Page, text: string, heading: string): Promise<void> {
  await page.keyboard.press("/")
  await page.locator("[role=combobox]:focus").waitFor()
  await page.keyboard.type(text)
  await page.getByRole("option", { name: heading }).first().waitFor()
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: heading }).waitFor()
}

const goTo = (page: Page, name: string) =>
  page.getByRole("navigation").getByRole("link", { name, exact: true }).click()

const giveReason = (page: Page) => page.getByRole("textbox", { name: /^Reason/ }).fill("INC-1")

journey("tell the partner", 3, async (page) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"])
  await page
    .getByRole("listitem")
    .filter({ hasText: "Deliveries to the channel globex fail." })
    .getByRole("link", { name: "tell the partner" })
    .click()
  await openDialog(page, "Tell the partner")
  await press(page, "Copy: the message")
  await poll(() => page.evaluate(() => navigator.clipboard.readText())).toContain("channel globex")
})

journey("replace a token", 2, async (page) => {
  await find(page, "florist-catalogue", "florist-catalogue")
  await openDialog(page, "Replace token")
  await press(page, "Replace")
  await page.getByText("The old URL no longer works").waitFor()
})

journey("erase a person's data", 3, async (page) => {
  const id = await insertDelivery(pages, "delivered")
  const [row] = await pages.sql<{ email: string }>(
    "select convert_from(body, 'UTF8')::json ->> 'email' as email from delivery where id = $1",
    [id],
  )
  await goTo(page, "Jobs")
  await openDialog(page, "Erase data")
  await page.getByLabel("E-mail address").fill(row?.email ?? "")
  await page.getByText("1 delivery will be erased").waitFor()
  await giveReason(page)
  await confirmDialog(page, "Erase")
  await poll(() => pages.sql("select state from delivery where id = $1", [id])).toEqual([{ state: "erased" }])
})

journey("delegate a channel to its partner", 5, async (page) => {
  await goTo(page, "API keys")
  await openDialog(page, "Create key")
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill("acme's developers")
  await dialog.getByRole("combobox", { name: "Channel" }).fill("acme")
  await press(page, "Create key")
  await press(page, "Create a sign-in link")
  await dialog.getByText(/\/sign-in#link=/).waitFor()
  await confirmDialog(page, "I have stored it")
})

journey("find in the audit log who replaced a token", 2, async (page) => {
  await goTo(page, "Audit log")
  await page.getByRole("combobox", { name: "Operation" }).fill("token")
  await page.getByRole("option", { name: "Replace a connection's token" }).click()
  const operations = page.getByRole("table").locator("tbody td:nth-child(3)")
  await poll(async () => [...new Set(await operations.allTextContents())]).toEqual([
    "Replace a connection's token",
  ])
})

journey("follow deliveries live", 1, async (page) => {
  await goTo(page, "Deliveries")
  const links = page.getByRole("main").locator('a[href^="/deliveries/"]')
  await links.first().waitFor()
  const id = await insertDelivery(pages, "pending")
  await poll(() => links.first().getAttribute("href")).toBe(`/deliveries/${id}`)
})
