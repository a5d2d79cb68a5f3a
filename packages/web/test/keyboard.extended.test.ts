import { expect, test } from "vitest"
import { settle } from "./fixtures/browser.ts"
import { insertDelivery } from "./fixtures/insertDelivery.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile, tabTo } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

test("a rotation is completed by keyboard alone", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/channels/acme?tab=secrets")
  await settle(page)
  const dialog = page.getByRole("dialog")
  for (const name of ["Create new secret", "Activate", "Delete old secret"]) {
    await tabTo(page.getByRole("button", { name }))
    await page.keyboard.press("Enter")
    await tabTo(dialog.getByRole("button", { name }))
    await page.keyboard.press("Enter")
    await dialog.waitFor({ state: "detached" })
  }
  const [row] = await pages.sql<{ secret_id: string; other: string | null }>(
    "select secret_id, other_secret_id as other from channel where id = 'acme'",
  )
  expect(row?.other).toBeNull()
  expect(row?.secret_id).not.toBe("sec_acme")
})

test("a token is replaced by keyboard alone, and the new URL is shown", async () => {
  await using opened = await pages.open("site:bakery.example")
  const { page } = opened
  await opened.go("/connections/bakery-products")
  await settle(page)
  await tabTo(page.getByRole("button", { name: "Replace token" }))
  await page.keyboard.press("Enter")
  await tabTo(page.getByRole("dialog").getByRole("button", { name: "Replace" }))
  await page.keyboard.press("Enter")
  await page.getByText("The old URL no longer works").waitFor()
  const [row] = await pages.sql<{ replaced: boolean }>(
    "select token_replaced_at is not null as replaced from connection where id = 'bakery-products'",
  )
  expect(row?.replaced).toBe(true)
})

test("a bulk resend is counted, started and followed by keyboard alone", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/deliveries?channel=globex&state=dead")
  await settle(page)
  await tabTo(page.getByRole("button", { name: "Resend these" }))
  await page.keyboard.press("Enter")
  await page.getByText(/will be sent again/).waitFor()
  await tabTo(page.getByRole("textbox", { name: /^Reason/ }))
  await page.keyboard.type("ticket 4711")
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Resend job" }).waitFor()
  await poll(() => page.getByRole("main").textContent()).toContain("Done")
})

test("the search opens by /, and Enter opens what it finds at once, also by an e-mail address, which no URL contains", async () => {
  await using opened = await pages.open("operate,personal-data")
  const { page } = opened
  const requested: string[] = []
  page.on("request", (request) => void requested.push(request.url()))
  await opened.go("/")
  await settle(page)
  const [owned] = await pages.sql<{ event_id: string; email: string }>(
    `select event_id, convert_from(body, 'UTF8')::json ->> 'email' as email from delivery
     where id = '${await insertDelivery(pages, "delivered")}'`,
  )
  const { event_id = "", email = "" } = owned ?? {}
  for (const [text, heading] of [
    ["florist-catalogue", "florist-catalogue"],
    [email, event_id],
  ] as const) {
    await page.keyboard.press("/")
    await page.locator("[role=combobox]:focus").waitFor()
    await page.keyboard.insertText(text)
    await page.keyboard.press("Enter")
    await page.getByRole("heading", { name: heading }).waitFor()
  }
  expect(requested.filter((url) => /@|%40/.test(url))).toEqual([])
})
