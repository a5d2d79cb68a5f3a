import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { openDialog, press } from "./fixtures/dialogs.ts"
import { insertDelivery } from "./fixtures/insertDelivery.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

/** The console gets and commits the next write to this URL, but its response does not arrive. */
async function loseNextResponse(page: Page, url: string): Promise<void> {
  let isLost = false
  await page.route(url, async (route) => {
    if (isLost || route.request().method() === "GET") return route.fallback()
    isLost = true
    await route.fetch()
    await route.abort()
  })
}

const noResponse = (page: Page) => page.getByRole("alert").getByText("The console does not respond")

const namesLike = async (pattern: string) =>
  (
    await pages.sql<{ name: string }>("select name from api_key where name like $1 order by name", [pattern])
  ).map(({ name }) => name)

test("a key whose response was lost is created once, and the page says how to get another", async () => {
  await using opened = await pages.open("operate,personal-data,admin")
  const { page } = opened
  await opened.go("/keys")
  await openDialog(page, "Create key")
  await page.getByRole("dialog").getByLabel("Name").fill("lost")
  await page.getByRole("dialog").getByRole("combobox", { name: "Channel" }).fill("umbrella")
  await loseNextResponse(page, "**/v1/keys")
  await press(page, "Create key")
  await noResponse(page).waitFor()
  await press(page, "Create key")
  await page.getByRole("alert").getByText("revokes this key; then create another").waitFor()
  expect(await namesLike("lost%")).toEqual(["lost"])
})

test("a key with another name, after a lost response, is another key", async () => {
  await using opened = await pages.open("operate,personal-data,admin")
  const { page } = opened
  await opened.go("/keys")
  await openDialog(page, "Create key")
  await page.getByRole("dialog").getByLabel("Name").fill("first name")
  await page.getByRole("dialog").getByRole("combobox", { name: "Channel" }).fill("umbrella")
  await loseNextResponse(page, "**/v1/keys")
  await press(page, "Create key")
  await noResponse(page).waitFor()
  await page.getByRole("dialog").getByLabel("Name").fill("first name, corrected")
  await press(page, "Create key")
  await page.getByText(/^swk_/).waitFor()
  expect(await namesLike("first name%")).toEqual(["first name", "first name, corrected"])
})

test("a new signing secret whose response was lost is explained", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/channels/umbrella?tab=secrets")
  await openDialog(page, "Create new secret")
  await loseNextResponse(page, "**/secret/stage")
  const readAgain = page.waitForResponse((response) => response.url().endsWith("/v1/channels/umbrella"))
  await press(page, "Create new secret")
  await noResponse(page).waitFor()
  // The stream has reported the new secret to the page.
  await readAgain
  await press(page, "Create new secret")
  await page.getByRole("alert").getByText("shows it until it is activated").waitFor()
})

test("settings whose response was lost are no conflict with the next change of the form", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/channels/umbrella?tab=settings")
  await page.getByLabel("Maximum rate").fill("12")
  await loseNextResponse(page, "**/v1/channels/umbrella")
  const save = page.getByRole("button", { name: "Save" })
  await save.click()
  await noResponse(page).waitFor()
  // The stream has reported the change to the page.
  await poll(() => save.isDisabled()).toBe(true)
  await page.getByLabel("Maximum rate").fill("13")
  await save.click()
  await page.getByText("The channel is changed").waitFor()
  expect(await pages.sql("select max_per_second as max from channel where id = 'umbrella'")).toEqual([
    { max: 13 },
  ])
})

test("a delivery is resent once, by one job, if the response was lost", async () => {
  const id = await insertDelivery(pages, "delivered")
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go(`/deliveries/${id}`)
  await openDialog(page, "Resend")
  await loseNextResponse(page, `**/v1/deliveries/${id}/resend`)
  await press(page, "Resend")
  await noResponse(page).waitFor()
  await press(page, "Resend")
  await page.getByText("The delivery is sent as soon as its channel has capacity").waitFor()
  const resends = await pages.sql(
    "select id from audit_entry where operation = 'resendDelivery' and target_id = $1 and changes ? 'deferred_reason'",
    [id],
  )
  expect(resends).toHaveLength(1)
})

test("a bulk resend whose response was lost is one job", async () => {
  await insertDelivery(pages, "dead")
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/deliveries?channel=umbrella&state=dead")
  await openDialog(page, "Resend these")
  await page.getByText(/will be sent again/).waitFor()
  await page.getByRole("textbox", { name: /^Reason/ }).fill("one job only")
  await loseNextResponse(page, "**/v1/jobs/resend")
  const start = page.getByRole("dialog").getByRole("button", { name: /^Resend \d/ })
  await start.click()
  await noResponse(page).waitFor()
  await start.click()
  await page.getByRole("heading", { name: "Resend job" }).waitFor()
  expect(await pages.sql("select id from job where reason = 'one job only'")).toHaveLength(1)
})

test("a request is repeated with its Idempotency-Key until a response is final", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  const sent: (string | undefined)[] = []
  await page.route("**/v1/channels/umbrella/test", async (route) => {
    sent.push(route.request().headers()["idempotency-key"])
    if (sent.length === 1) return route.abort()
    const problem = {
      type: "/problems/test-not-sent",
      code: "test-not-sent",
      title: "Test not sent",
      status: 503,
    }
    await route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: JSON.stringify(problem),
    })
  })
  await opened.go("/channels/umbrella")
  await openDialog(page, "Send test")
  await press(page, "Send test")
  await noResponse(page).waitFor()
  await press(page, "Send test")
  await page.getByRole("alert").getByText("Test not sent").first().waitFor()
  await press(page, "Send test")
  await poll(() => sent.length).toBe(3)
  const [first, second, third] = sent
  expect(first).toMatch(/^[\da-f-]{36}$/)
  expect(second).toBe(first)
  expect(third).toMatch(/^[\da-f-]{36}$/)
  expect(third).not.toBe(first)
})
