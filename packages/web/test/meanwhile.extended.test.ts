import type { Page } from "playwright-core"
import { expect, test } from "vitest"
import { settle, signIn } from "./fixtures/browser.ts"
import { openDialog, press } from "./fixtures/dialogs.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

/** What another operator does meanwhile. */
async function call(method: string, path: string, body?: object): Promise<void> {
  const response = await fetch(`${pages.origin}${path}`, {
    method,
    headers: { authorization: `Bearer ${await pages.keyOf("operate")}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
}

/** Calls `change`, and waits until the page has read the resource again. */
async function untilRead(page: Page, path: string, change: () => Promise<void>): Promise<void> {
  const read = page.waitForResponse((response) => new URL(response.url()).pathname === path)
  await change()
  await read
}

const channel = "/v1/channels/umbrella"
const readChannel = () =>
  pages.sql("select address, max_per_second as max from channel where id = 'umbrella'")

test("saving a setting does not revert what another operator has changed since the form was opened", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/channels/umbrella?tab=settings")
  await settle(page)
  const address = "https://umbrella.example/changed-by-another"
  await untilRead(page, channel, () => call("PATCH", channel, { address }))
  await page.getByLabel("Maximum rate").fill("9")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByRole("alert").getByText("Somebody else has changed this meanwhile").waitFor()
  expect(await readChannel()).toEqual([{ address, max: null }])

  await page.getByRole("button", { name: "Show the current version" }).click()
  expect(await page.getByLabel("Notification address").inputValue()).toBe(address)
  await page.getByLabel("Maximum rate").fill("9")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("The channel is changed").waitFor()
  expect(await readChannel()).toEqual([{ address, max: 9 }])

  // The form continues with what it has saved.
  await page.getByLabel("Maximum rate").fill("10")
  await page.getByRole("button", { name: "Save" }).click()
  await poll(readChannel).toEqual([{ address, max: 10 }])
})

test("a pause meanwhile, which changes no field of the form, is no conflict", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/channels/umbrella?tab=settings")
  await settle(page)
  await call("POST", `${channel}/pause`)
  await page.getByRole("button", { name: "Resume" }).waitFor()
  await page.getByLabel("Maximum rate").fill("11")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("The channel is changed").waitFor()
  expect(await readChannel()).toMatchObject([{ max: 11 }])
})

test("the source of a connection is not reverted either", async () => {
  const connection = "/v1/connections/gym-courses"
  const source = (version: string) => `https://kurse.example/api/${version}`
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/connections/gym-courses")
  await settle(page)
  // The stream reports a connection with its next sync only, so the page still has the old source.
  await call("PATCH", connection, { source: source("v2") })
  await openDialog(page, "Change source")
  const field = page.getByRole("dialog").getByLabel("Source")
  await field.fill(source("mine"))
  await press(page, "Change")
  await page.getByRole("alert").getByText("Somebody else has changed this meanwhile").waitFor()
  await press(page, "Show the current version")
  expect(await field.inputValue()).toBe(source("v2"))
  await press(page, "Cancel")

  await openDialog(page, "Change source")
  expect(await field.inputValue()).toBe(source("v2"))
  await field.fill(source("v3"))
  await press(page, "Change")
  await page.getByText("The source is changed").waitFor()
  expect(await pages.sql("select source from connection where id = 'gym-courses'")).toEqual([
    { source: source("v3") },
  ])
})

for (const [kind, api, path] of [
  ["channel", channel, "/channels/umbrella?tab=settings"],
  ["connection", "/v1/connections/gym-courses", "/connections/gym-courses"],
] as const)
  test(`the request headers of a ${kind} are neither replaced nor removed if somebody else has set them meanwhile`, async () => {
    const stored = () =>
      pages.sql(`select request_header_names as names from ${kind} where id = $1`, [api.split("/").at(-1)])
    const setHeaders = (name: string) => call("PATCH", api, { request_headers: [{ name, value: "secret" }] })
    await setHeaders("X-First")
    await using opened = await pages.open("operate")
    const { page } = opened
    // The page does not learn of a change by itself.
    await page.route("**/v1/stream", (route) => route.abort())
    await opened.go(path)
    await settle(page)
    await openDialog(page, "Set headers")
    const dialog = page.getByRole("dialog")
    await dialog.getByLabel("Value").fill("mine")
    await setHeaders("X-Second")
    await press(page, "Set headers")
    await page.getByRole("alert").getByText("Somebody else has changed this meanwhile").waitFor()
    expect(await stored()).toEqual([{ names: ["x-second"] }])

    await press(page, "Show the current version")
    expect(await dialog.getByLabel("Header").inputValue()).toBe("x-second")
    await dialog.getByLabel("Value").fill("mine")
    await press(page, "Set headers")
    await page.getByText("The request headers are changed").waitFor()
    await dialog.waitFor({ state: "detached" })

    await openDialog(page, "Remove headers")
    await setHeaders("X-Third")
    await press(page, "Remove headers")
    await page.getByRole("alert").getByText("so nothing was written").waitFor()
    expect(await stored()).toEqual([{ names: ["x-third"] }])
    await press(page, "Remove headers")
    await page.getByText("No request headers are set").waitFor()
  })

test("if another tab signs in with another key, a page shows that session at once", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/deliveries")
  await settle(page)
  const other = await page.context().newPage()
  await signIn(other, await pages.createLink(await pages.keyOf("channel:acme")))
  await page.getByText(/You have signed in as .*channel:acme.* in another tab/).waitFor()
  await poll(() => page.getByText("globex").count()).toBe(0)
})

/** The stream would end with the session, and tell the page at once. */
const withoutStream = (page: Page) => page.route("**/v1/stream", (route) => route.abort())

test("without a stream, a page shows that session from its next write on", async () => {
  const key = await pages.createKey("second operator", "operate")
  await using opened = await pages.open("operate")
  const { page } = opened
  await withoutStream(page)
  await opened.go("/channels/northwind")
  await settle(page)
  const other = await page.context().newPage()
  await signIn(other, await pages.createLink(key))
  await other.getByRole("button", { name: /second operator/ }).waitFor()

  await openDialog(page, "Pause")
  await press(page, "Pause")
  await page.getByText("You have signed in as second operator in another tab").waitFor()
  await page.getByRole("button", { name: /second operator/ }).waitFor()
  await openDialog(page, "Pause")
  await press(page, "Pause")
  await page.getByText("Channel northwind is paused").waitFor()
  const [entry] = await pages.sql(
    "select key_name from audit_entry where operation = 'pauseChannel' and target_id = 'northwind'",
  )
  expect(entry).toEqual({ key_name: "second operator" })
})

test("without a stream, a page shows that session when the user returns to it", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await withoutStream(page)
  await opened.go("/deliveries")
  await settle(page)
  const other = await page.context().newPage()
  await signIn(other, await pages.createLink(await pages.keyOf("channel:acme")))
  await other.getByRole("heading", { name: "acme" }).waitFor()
  await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")))
  await page.getByRole("button", { name: /channel:acme/ }).waitFor()
  expect(await page.getByRole("link", { name: "API keys" }).count()).toBe(0)
  await poll(() => page.getByText("globex").count()).toBe(0)
})
