import { expect, test } from "vitest"
import { insertDelivery } from "./fixtures/insertDelivery.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

test("a delivery with many attempts shows the newest, and earlier ones on request", async () => {
  const id = await insertDelivery(pages, "delivered")
  await pages.sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, secret_id, status)
     select $1, n, now() - interval '1 minute' * (60 - n), 5, 'sec', 204 from generate_series(1, 50) n`,
    [id],
  )
  await using opened = await pages.open("read")
  const { page, go } = opened
  await go(`/deliveries/${id}`)
  const numbers = () =>
    page
      .locator("ol > li strong")
      .filter({ hasText: /^Attempt \d+$/ })
      .allTextContents()
  const more = page.locator("ol").getByRole("button", { name: "Show more" })
  await more.waitFor()
  expect(await numbers()).toEqual(Array.from({ length: 20 }, (_, n) => `Attempt ${31 + n}`))
  await more.click()
  await page.getByText("Attempt 11", { exact: true }).waitFor()
  await more.click()
  await page.getByText("Attempt 1", { exact: true }).waitFor()
  expect(await numbers()).toEqual(Array.from({ length: 50 }, (_, n) => `Attempt ${1 + n}`))
  expect(await more.count()).toBe(0)
})
