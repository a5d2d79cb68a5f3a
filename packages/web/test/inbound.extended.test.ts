import { expect, test } from "vitest"
import { settle } from "../screenshots/browser.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile, tabTo } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

test("a point of the chart of syncs opens the syncs of its time, by keyboard", async () => {
  const isCounted = "select counted_through > now() - interval '3 minutes' as done from statistics_position"
  await poll(() => pages.sql(isCounted)).toEqual([{ done: true }])
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/?range=1h")
  const chart = page.getByRole("slider", { name: /^Triggers and syncs/ })
  await tabTo(chart)
  // In each of the last ten minutes, there was a sync of the burst.
  for (let presses = 0; presses < 5; presses++) await page.keyboard.press("ArrowLeft")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Syncs" }).waitFor()
  await settle(page)
  const { searchParams } = new URL(page.url())
  const [from = 0, until = 0] = ["started_after", "started_before"].map((name) =>
    Date.parse(searchParams.get(name) ?? ""),
  )
  expect(until - from).toBe(60_000)
  const started = page.getByRole("table").locator("tbody td:first-child time")
  const times = await started.evaluateAll((all) => all.map((one) => one.getAttribute("datetime") ?? ""))
  expect(times.length).toBeGreaterThan(0)
  for (const time of times.map(Date.parse)) expect(time >= from && time < until).toBe(true)
  await page.getByRole("table").getByRole("link", { name: "bakery-products" }).first().click()
  await page.getByRole("heading", { name: "bakery-products" }).waitFor()
})

test("syncs are filtered in the URL, and a site's owner sees those of the site only", async () => {
  await using opened = await pages.open("operate")
  await opened.go("/syncs")
  await settle(opened.page)
  await opened.page.getByLabel("Connection", { exact: true }).fill("bookshop-stock")
  await opened.page.getByText("responded with 502 Bad Gateway").first().waitFor()
  await poll(() => opened.page.url()).toContain("connection=bookshop-stock")
  await opened.page.getByRole("button", { name: "Clear filters" }).click()
  await poll(() => opened.page.url()).not.toContain("?")

  await using owner = await pages.open("site:bakery.example")
  await owner.go("/syncs")
  await settle(owner.page)
  const sites = await owner.page.locator("tbody td:nth-child(3)").allTextContents()
  expect(new Set(sites)).toEqual(new Set(["bakery.example"]))
  await owner.go("/syncs?connection=bookshop-stock")
  await owner.page.getByText("No sync matches these filters").waitFor()
})

test("a connection's page shows when its content changed and what, or why it cannot, and compares nothing until then", async () => {
  await using opened = await pages.open("site:bakery.example")
  const { page } = opened
  const loaded: string[] = []
  page.on("request", (request) => loaded.push(new URL(request.url()).pathname))
  await opened.go("/")
  await settle(page)
  expect(loaded.filter((path) => path.includes("compare"))).toEqual([])
  await opened.go("/connections/bakery-products")
  const changes = page.getByRole("region", { name: "What changed" })
  await changes.getByText("4 removed").waitFor()
  const texts = (part: string) => changes.locator(part).allTextContents()
  expect((await texts("del")).join()).toContain('"price": "2.95 EUR"')
  expect((await texts("ins")).join()).toContain('"sku": "SKU-1064"')
  const list = page.getByRole("table", { name: "Changes of the content" })
  expect(await list.getByRole("row").count()).toBe(9)

  await using florist = await pages.open("site:florist.example")
  await florist.go("/connections/florist-catalogue")
  await florist.page.getByText("The content before is not stored").waitFor()
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

  await using operator = await pages.open("operate")
  await operator.go("/connections/bookshop-stock")
  const failed = operator.page.getByRole("list", { name: "Triggers and syncs" }).getByRole("listitem").nth(1)
  await failed.getByText("Failed: the source responded with 502 Bad Gateway").waitFor()
  await failed.getByText(/^The next sync has its/).waitFor()
  await operator.page.getByText("Ask the partner when its server works again.").waitFor()
})
