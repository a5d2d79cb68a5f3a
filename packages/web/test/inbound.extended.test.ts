import { expect, test } from "vitest"
import { settle } from "./fixtures/browser.ts"
import { pagesOfThisFile, tabTo } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

test("a point of a chart opens the deliveries of its time, by keyboard", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/")
  await tabTo(page.getByRole("slider", { name: /^Deliveries/ }))
  for (let presses = 0; presses < 5; presses++) await page.keyboard.press("ArrowLeft")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Deliveries" }).waitFor()
  await settle(page)
  const { searchParams } = new URL(page.url())
  const [from = 0, until = 0] = ["created_after", "created_before"].map((name) =>
    Date.parse(searchParams.get(name) ?? ""),
  )
  expect(until - from).toBe(600_000)
  const created = page.getByRole("table").locator("[role=row] > :last-child time")
  const times = await created.evaluateAll((all) => all.map((one) => one.getAttribute("datetime") ?? ""))
  expect(times.length).toBeGreaterThan(0)
  for (const time of times.map(Date.parse)) expect(time >= from && time < until).toBe(true)
})

test("a connection's page shows each trigger with the sync that covered it, and why one failed with what to do", async () => {
  await using owner = await pages.open("site:bakery.example")
  await owner.go("/connections/bakery-products")
  const items = owner.page.getByRole("list", { name: "Triggers and syncs" }).getByRole("listitem")
  await items.first().getByText("17 triggers wait for it, accepted from").waitFor()
  const [newest] = await pages.sql<{ triggers: number; first: Date; last: Date }>(
    `select triggers, first_trigger_at as first, last_trigger_at as last from sync_run
      where connection_id = 'bakery-products' order by fence desc limit 1`,
  )
  if (!newest) throw new Error("there is no sync")
  const second = items.nth(1)
  await second.getByText(`It covered ${newest.triggers} triggers, accepted from`).waitFor()
  const times = await second
    .locator("p time")
    .evaluateAll((all) => all.map((time) => time.getAttribute("datetime")))
  expect(times).toEqual([newest.first.toISOString(), newest.last.toISOString()])
  await second.getByText(/Complete .* after the first\./).waitFor()
  const changes = owner.page.getByRole("table", { name: "Changes of the content" })
  expect(await changes.getByRole("row").count()).toBe(9)

  await using operator = await pages.open("operate")
  await operator.go("/connections/bookshop-stock")
  const failed = operator.page.getByRole("list", { name: "Triggers and syncs" }).getByRole("listitem").nth(1)
  await failed.getByText("Failed: the source responded with 502 Bad Gateway").waitFor()
  await failed.getByText(/^The next sync has its/).waitFor()
  await operator.page.getByText("Ask the partner when its server works again.").waitFor()
})
