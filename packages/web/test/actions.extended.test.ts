import { expect, test } from "vitest"
import { visit } from "./fixtures/browser.ts"
import { act, confirmDialog, openDialog, press } from "./fixtures/dialogs.ts"
import { insertDelivery } from "./fixtures/insertDelivery.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

async function one<Row extends Record<string, unknown>>(
  statement: string,
  values: unknown[] = [],
): Promise<Row> {
  const [row] = await pages.sql<Row>(statement, values)
  if (!row) throw new Error("no row")
  return row
}

test("a channel is created, changed, paused, resumed and deleted", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/channels")
  await page.getByRole("button", { name: "Create channel" }).click()
  await page.getByLabel("Id (optional)").fill("hooli")
  await page.getByLabel("Notification address").fill("https://hooks.hooli.example/sites")
  await page.getByRole("dialog").getByRole("button", { name: "Create channel" }).click()
  // No dispatcher is running, so the address gets no test.
  await page.getByText("The test delivery was not begun").waitFor()
  await page.getByRole("dialog").getByRole("button", { name: "Create anyway" }).click()
  await page.getByText(/^sws_/).waitFor()
  await page.getByText(/^whsec_/).waitFor()
  await confirmDialog(page, "I have stored it")
  await page.getByRole("heading", { name: "hooli" }).waitFor()

  await act(page, "Pause")
  await act(page, "Resume")
  await page.getByRole("tab", { name: "Secrets" }).click()
  await act(page, "Create new secret")
  await page.reload()
  await act(page, "Show new secret")
  await page.getByText(/^sws_/).waitFor()
  await act(page, "Activate")
  await act(page, "Return to the old secret")
  await act(page, "Delete old secret")
  await page.getByRole("tab", { name: "Settings" }).click()
  await page.getByRole("button", { name: "Set headers" }).click()
  await page.getByRole("dialog").getByLabel("Value").fill("Bearer marked")
  await confirmDialog(page, "Set headers")
  await page.getByText("The request headers are changed").waitFor()
  await page.getByLabel("Notification address").fill("https://hooks.hooli.example/v2")
  await page.getByLabel("Maximum rate").fill("7")
  await page.getByLabel("Contact").fill("hooks@hooli.example")
  await page.getByRole("button", { name: "Save" }).click()
  await page.getByText("The test delivery was not begun").waitFor()
  await page.getByRole("button", { name: "Save anyway" }).click()
  await page.getByText("The channel is changed").waitFor()
  expect(
    await one(
      "select channel.address, max_per_second, paused_at, request_header_names, contact.address as contact from channel join channel_contact as contact on channel_id = id where id = 'hooli'",
    ),
  ).toEqual({
    request_header_names: ["authorization"],
    address: "https://hooks.hooli.example/v2",
    max_per_second: 7,
    paused_at: null,
    contact: "hooks@hooli.example",
  })
  await using support = await pages.open("read")
  await support.go("/channels/hooli?tab=settings")
  await support.page.getByText("h***@hooli.example").waitFor()

  await act(page, "Delete channel", "Delete hooli")
  await page.getByRole("heading", { name: "Channels" }).waitFor()
  expect(await pages.sql("select id from channel where id = 'hooli'")).toEqual([])
  const operations = await pages.sql<{ operation: string }>(
    "select operation from audit_entry where target_id = 'hooli' order by created_at",
  )
  const names = operations.map(({ operation }) => operation)
  expect(names.join()).toBe(
    "testChannel,createChannel,pauseChannel,resumeChannel,stageSecret,readStagedSecret,activateSecret,revertSecret,retireSecret,changeChannel,testChannel,changeChannel,deleteChannel",
  )
})

test("a connection is created, synchronised, changed and deleted", async () => {
  // The first connection of a site is an operator's, and so is the owner's key.
  await pages.sql(
    `insert into connection (id, site, source, token_sha256, token_sealed, signing_secret_sealed, created_at)
     select 'hooli', 'hooli.example', source, token_sha256, token_sealed, signing_secret_sealed, now()
       from connection limit 1`,
  )
  await using opened = await pages.open("site:hooli.example")
  const { page } = opened
  await opened.go("/connections")
  await page.getByRole("button", { name: "Create connection" }).click()
  await page.getByRole("textbox", { name: "Source" }).fill("https://feed.hooli.example/items")
  await page.getByRole("button", { name: "Add a request header" }).click()
  await page.getByLabel("Header").fill("Authorization")
  await page.getByLabel("Value").fill("Bearer marked")
  await page.getByRole("dialog").getByRole("button", { name: "Create connection" }).click()
  await page.getByText(/^sws_/).waitFor()
  await page.getByRole("button", { name: "I have stored it" }).click()
  await page.getByRole("heading", { name: "Triggers and syncs" }).waitFor()
  const { id } = await one<{ id: string }>(
    "select id from connection where site = 'hooli.example' and id <> 'hooli'",
  )
  await act(page, "Sync now")
  await page.getByText(/The sync starts at/).waitFor()
  await page.getByRole("button", { name: "Change source" }).click()
  await page.getByRole("dialog").getByLabel("Source").fill("https://feed.hooli.example/v2")
  await confirmDialog(page, "Change")
  await page.getByRole("button", { name: "Set headers" }).click()
  await page.getByRole("dialog").getByLabel("Value").fill("Bearer marked-too")
  await confirmDialog(page, "Set headers")
  await page.getByText("The request headers are changed").waitFor()
  expect(await one("select request_header_names from connection where id = $1", [id])).toEqual({
    request_header_names: ["authorization"],
  })
  await act(page, "Remove headers")
  await page.getByText("No request headers are set").waitFor()
  await openDialog(page, "Replace secret")
  await press(page, "Replace")
  await page.getByText(/^sws_/).waitFor()
  await page.getByRole("button", { name: "I have stored it" }).click()
  await act(page, "Show")
  await page
    .getByText(/\/connectors\/hook\//)
    .first()
    .waitFor()
  expect(await one("select source, source_version from connection where id = $1", [id])).toEqual({
    source: "https://feed.hooli.example/v2",
    source_version: 4,
  })
  await act(page, "Delete")
  await page.getByRole("heading", { name: "Connections" }).waitFor()
  expect(await pages.sql("select id from connection where id = $1", [id])).toEqual([])
})

test("a key is created, its link signs in, and its revocation ends that session without a reload", async () => {
  await using opened = await pages.open("operate,personal-data,admin")
  const { page } = opened
  await opened.go("/keys")
  await page.getByRole("button", { name: "Create key" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByLabel("Name").fill("umbrella's developers")
  await dialog.getByRole("combobox", { name: "Channel" }).fill("umbrella")
  await dialog.getByRole("button", { name: "Create key" }).click()
  await dialog.getByRole("button", { name: "Create a sign-in link" }).click()
  const link = await dialog.getByText(/\/sign-in#link=/).textContent()
  await confirmDialog(page, "I have stored it")

  await using partner = await pages.open(null)
  await visit(partner.page, link ?? "")
  // Opening the link signs nobody in.
  await partner.page.getByText("This link signs in as umbrella's developers").waitFor()
  expect(await partner.page.context().cookies()).toEqual([])
  await partner.page.getByRole("button", { name: "Sign in as umbrella's developers" }).click()
  await partner.page.getByRole("heading", { name: "umbrella" }).waitFor()

  const row = page.getByRole("row").filter({ hasText: "umbrella's developers" })
  await row.getByRole("button", { name: "Revoke" }).click()
  await confirmDialog(page, "Revoke")
  await partner.page.getByText("Your session has ended").waitFor()
})

test("invalid events are counted, and replayed by a job", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/invalid-events")
  await page.getByRole("button", { name: "Replay" }).click()
  await page.getByText(/will be published again/).waitFor()
  await page.getByRole("textbox", { name: /^Reason/ }).fill("ticket 4712")
  await page.getByRole("dialog").getByRole("button", { name: "Replay" }).click()
  await page.getByRole("heading", { name: "Replay job" }).waitFor()
  await page.getByText("published again").first().waitFor()
})

test("a bulk resend is counted once, also if the user returns to the page meanwhile", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  const sent: string[] = []
  page.on("request", (request) => void sent.push(new URL(request.url()).pathname))
  await opened.go("/deliveries?channel=globex&state=dead")
  await openDialog(page, "Resend these")
  await page.getByText(/will be sent again/).waitFor()
  sent.length = 0
  await page.evaluate(() => {
    const now = Date.now
    Date.now = () => now() + 60_000
    window.dispatchEvent(new Event("visibilitychange"))
  })
  await poll(() => sent).toContain("/v1/deliveries")
  expect(sent).not.toContain("/v1/jobs/resend")
})

test("a count is cancelled if what it counts has changed", async () => {
  await using opened = await pages.open("operate,personal-data")
  const { page } = opened
  let counts = 0
  const cancelled = page.waitForEvent("requestfailed", (request) =>
    request.url().endsWith("/v1/jobs/erasure"),
  )
  await page.route("**/v1/jobs/erasure", (route) => {
    counts += 1
    return counts === 1 ? undefined : route.continue()
  })
  await opened.go("/jobs")
  await openDialog(page, "Erase data")
  await page.getByLabel("E-mail address").fill("first@shop.example")
  await poll(() => counts).toBe(1)
  await page.getByLabel("E-mail address").fill("second@shop.example")
  await cancelled
  await page.getByText(/^No|^The count took too long/).waitFor()
})

test("a person's data is counted and erased", async () => {
  const id = await insertDelivery(pages, "delivered")
  const { email } = JSON.parse(
    (await one<{ body: Buffer }>("select body from delivery where id = $1::uuid", [id])).body.toString(),
  )
  await using opened = await pages.open("operate,personal-data")
  const { page } = opened
  await opened.go("/jobs")
  await page.getByRole("button", { name: "Erase data" }).click()
  await page.getByLabel("E-mail address").fill(email)
  await page.getByText("1 delivery will be erased").waitFor()
  await page.getByRole("textbox", { name: /^Reason/ }).fill("request 17")
  await page.getByRole("dialog").getByRole("button", { name: "Erase", exact: true }).click()
  await page.getByRole("heading", { name: "Erasure job" }).waitFor()
  await poll(() => one("select state from delivery where id = $1::uuid", [id])).toEqual({ state: "erased" })
  expect(await page.content()).not.toContain(email)
})

test("signing out ends the session", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/")
  await page.getByRole("button", { name: /key for operate/ }).click()
  await page.getByRole("button", { name: "Sign out" }).click()
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
  await opened.go("/channels")
  await page.getByRole("heading", { name: "Sign in" }).waitFor()
})
