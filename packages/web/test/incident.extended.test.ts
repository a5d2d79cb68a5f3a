import { expect, test } from "vitest"
import { runAxe, settle } from "./fixtures/browser.ts"
import { confirmDialog, openDialog } from "./fixtures/dialogs.ts"
import { insertDelivery } from "./fixtures/insertDelivery.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

const everything = "operate,personal-data,admin"

async function deadOf(channel: string): Promise<number> {
  const statement = "select count(*)::int as count from delivery where channel_id = $1 and state = 'dead'"
  const [row] = await pages.sql<{ count: number }>(statement, [channel])
  return row?.count ?? 0
}

test("an acknowledged incident is calm with its note for everybody, and becomes history when it ends", async () => {
  await using operator = await pages.open("operate")
  const { page } = operator
  const incident = page.getByRole("listitem").filter({ hasText: "Deliveries to the channel globex fail." })
  await operator.go("/")
  await incident.getByRole("button", { name: "Acknowledge", exact: true }).click()
  await page.getByLabel("Note").fill("The partner repairs it until Monday")
  await confirmDialog(page, "Acknowledge")
  await incident.getByText("until it is resolved: The partner repairs it until Monday").waitFor()
  expect(await incident.getAttribute("data-kind")).toBe("idle")

  await using reader = await pages.open("read")
  await reader.go("/")
  const seen = reader.page.getByRole("listitem").filter({ hasText: "Deliveries to the channel globex fail." })
  await seen.getByText("(key for operate)").waitFor()
  await settle(reader.page)
  for (const name of ["Acknowledge", "Withdraw"])
    expect(await reader.page.getByRole("button", { name, exact: true }).count()).toBe(0)

  await incident.getByRole("button", { name: "Withdraw", exact: true }).click()
  await confirmDialog(page, "Withdraw")
  await poll(() => incident.getAttribute("data-kind")).toBe("warn")

  // It ends.
  await pages.sql(
    `update incident set acknowledged_at = now(), acknowledged_by = 'key_1 (on-call)', note = 'repaired',
            resolved_at = now(), closed_at = now() where subject_id = 'globex' and kind = 'channel.failing' and closed_at is null`,
  )
  await page.getByRole("link", { name: "Resolved incidents" }).click()
  const row = page.getByRole("row").filter({ hasText: "repaired" })
  await row.getByText("Channel was failing").waitFor()
  await row.getByRole("link", { name: "globex" }).waitFor()
  const rows = page.getByRole("table").locator("tbody tr")
  const all = await rows.count()
  await page.getByRole("combobox", { name: "Period" }).click()
  await page.getByRole("option", { name: "Last hour" }).click()
  await poll(() => rows.count()).toBe(1)
  expect(all).toBeGreaterThan(1)
  await operator.go("/resolved-incidents?created_before=2020-01-01T00%3A00%3A00Z")
  await page.getByText("No resolved incidents").waitFor()
})

test("the list resends the dead of one channel, the dialog repeats the filter and warns, and the job shows what became of them", async () => {
  const ids = await pages.sql<{ id: string }>(
    "select id from delivery where channel_id = 'globex' and state = 'dead' order by id",
  )
  expect(ids.length).toBeGreaterThan(3)
  await using opened = await pages.open("operate")
  const { page } = opened
  const week = new Date(Date.now() - 7 * 86_400_000).toISOString()
  await opened.go(`/deliveries?channel=globex&state=dead&created_after=${week}`)
  await page.getByRole("button", { name: "Resend these" }).click()
  const dialog = page.getByRole("dialog")
  await dialog.getByText("Channel globex is still failing").waitFor()
  await dialog.getByText("HTTP 503").waitFor()
  await dialog.getByText(`${ids.length} deliveries will be sent again`).waitFor()
  const facts = await dialog.locator("dd").allTextContents()
  expect(facts.slice(0, 2)).toEqual(["globex", "Dead"])
  const after = await dialog.locator("dd time").first().getAttribute("datetime")
  expect(after).toBe(new URL(page.url()).searchParams.get("created_after"))
  expect(facts[3]).toBe("now")
  expect(await runAxe(page)).toEqual([])
  await page.getByLabel("Reason").fill("INC-7")
  await confirmDialog(page, `Resend ${ids.length}`)

  const outcome = page.getByRole("region", { name: "What became of its deliveries" })
  const figure = (name: string) =>
    outcome.locator("dl > div", { hasText: name }).locator("dd").first().textContent()
  await poll(() => figure("Pending")).toBe(String(ids.length))
  const finish = (state: string, some: { id: string }[]) =>
    pages.sql(
      `with ended as (delete from waiting_delivery where delivery_id = any($2::uuid[]))
       update delivery set state = $1::delivery_state where id = any($2::uuid[])`,
      [state, some.map(({ id }) => id)],
    )
  await finish("dead", ids.slice(0, 2))
  await finish("delivered", ids.slice(2))
  await poll(() => figure("Dead again")).toBe("2")
  await poll(() => figure("Delivered")).toBe(String(ids.length - 2))
  expect(await figure("Pending")).toBe("0")
  await settle(page)
  expect(await runAxe(page)).toEqual([])

  await outcome.getByRole("link", { name: "Show them: dead again" }).click()
  await poll(() => page.locator('main a[href^="/deliveries/"]').count()).toBe(2)
  expect(await page.getByLabel("Job").inputValue()).toMatch(/^job_/)
  expect(await page.getByRole("button", { name: "Resend these" }).count()).toBe(0)
  await settle(page)
  expect(await runAxe(page)).toEqual([])
})

test("dead deliveries are on the page of their channel, in the list and on the partner's own page, and a job resends them", async () => {
  const dead = await deadOf("globex")
  expect(dead).toBeGreaterThan(1)
  await using partner = await pages.open("channel:globex")
  await partner.go("/channels/globex")
  const whatToDo = partner.page.getByRole("region", { name: "What to do" }).locator("pre")
  await whatToDo.getByText(`${dead} deliveries are dead: they are not sent again by themselves.`).waitFor()
  expect(await whatToDo.innerText()).toContain("Please let your endpoint respond with a 2xx status")
  expect(await partner.page.getByText("Healthy").count()).toBe(0)
  await partner.page.getByRole("button", { name: "Resend its dead" }).waitFor()

  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/channels")
  const row = page.getByRole("row", { name: "globex" })
  await row.getByText(`${dead} dead`).waitFor()
  await row.getByText("HTTP 503").waitFor()
  await opened.go("/")
  const incident = page.getByRole("listitem").filter({ hasText: "Deliveries to the channel globex fail." })
  await incident.getByText(`${dead} deliveries are dead.`).waitFor()
  await opened.go("/channels/globex")
  await page.getByText(`${dead} deliveries are dead`).waitFor()
  expect(await page.getByText("Nothing is lost").count()).toBe(0)
  await openDialog(page, "Tell the partner")
  const message = page.getByRole("dialog").locator("pre")
  await message.getByText("An example: X-Sitewire-Delivery").waitFor()
  const text = await message.innerText()
  const [failed] = await pages.sql<{ address: string; reference: string }>(
    `select address, convert_from(body, 'UTF8')::json ->> 'reference' as reference
       from delivery join channel on channel.id = channel_id where delivery.id = $1`,
    [/X-Sitewire-Delivery (\S+),/.exec(text)?.[1]],
  )
  expect(text).toContain(`Endpoint: ${failed?.address}\n`)
  expect(text).toContain(`, reference ${failed?.reference}\n`)
  expect(text).toMatch(/^Last accepted: .+\nLast failure: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: HTTP 503/m)
  expect(text).toContain(`${dead} deliveries are dead: they are not sent again by themselves.`)
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click()
  await openDialog(page, "Resend its dead")
  await page.getByText(`${dead} deliveries will be sent again`).waitFor()
  await page.getByLabel("Reason").fill("INC-1")
  await confirmDialog(page, `Resend ${dead}`)
  await poll(() => deadOf("globex")).toBe(0)
  await opened.go("/channels/globex")
  await settle(page)
  expect(await page.getByText("are dead").count()).toBe(0)
})

test("a resent delivery shows who resent it, by which job", async () => {
  const id = await insertDelivery(pages, "dead")
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go(`/deliveries/${id}`)
  await openDialog(page, "Resend")
  await confirmDialog(page, "Resend")
  const entry = page.getByRole("listitem").filter({ hasText: "Resend requested" })
  await entry.getByText("(key for operate)").waitFor()
  await entry.getByRole("link", { name: /^job_/ }).click()
  await page.getByRole("heading", { name: "Resend job" }).waitFor()
})

test("a delivery that died without an attempt says so in its list and on its page", async () => {
  const id = await insertDelivery(pages, "dead")
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/deliveries?channel=umbrella&state=dead")
  await page.getByText("No attempt: the circuit breaker of its channel was open").first().waitFor()
  await opened.go(`/deliveries/${id}`)
  await page.getByText("No attempt was made within the retry period").waitFor()
  await page.getByText("Resend it when the receiver works.").waitFor()
  // Who may not resend is not told to do so.
  await using reader = await pages.open("read")
  await reader.go(`/deliveries/${id}`)
  await reader.page.getByText("No attempt was made within the retry period").waitFor()
  expect(await reader.page.getByText("Resend it").count()).toBe(0)
  await reader.go("/")
  await settle(reader.page)
  for (const text of [/Resend them/, /Resume it/, /replay them/])
    expect(await reader.page.getByText(text).count()).toBe(0)
})

test("a delivery whose channel is paused shows no time of its next attempt, and is read again when it is deferred", async () => {
  const id = await insertDelivery(pages, "pending")
  // The stream reports only new deliveries that are deferred.
  await pages.sql("update delivery set stored_at = now() - interval '1 hour' where id = $1", [id])
  await using opened = await pages.open("operate")
  const { page } = opened
  const next = page.getByText("The next attempt is")
  await opened.go(`/deliveries/${id}`)
  await next.waitFor()
  await pages.sql("update channel set paused_at = now() where id = 'umbrella'")
  await page.getByText("It waits, because its channel is paused").waitFor()
  await page.getByText("It is attempted after an operator has resumed the channel.").waitFor()
  expect(await next.count()).toBe(0)
  await page.getByRole("listitem").filter({ hasText: "Attempt 1" }).getByText("Channel is paused").waitFor()

  await pages.sql(
    `update waiting_delivery set next_attempt_at = null, deferred_at = now(), deferred_reason = 'paused'
      where delivery_id = $1`,
    [id],
  )
  await page.getByText("It has waited for").waitFor()
  await pages.sql("update channel set paused_at = null where id = 'umbrella'")
})

test("an erased delivery shows when it was erased and by which job, and not that its response had no body", async () => {
  const id = await insertDelivery(pages, "dead")
  await pages.sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, status, error, secret_id, response_excerpt)
     values ($1, 1, now() - interval '2 hours', 5, 503, 'status', 'sec_1', 'secret words')`,
    [id],
  )
  const died = "2026-01-01T00:00:00Z"
  const [row] = await pages.sql<{ email: string }>(
    `update delivery set attempts = 1, finished_at = $2 where id = $1
     returning convert_from(body, 'UTF8')::json ->> 'email' as email`,
    [id, died],
  )
  await using opened = await pages.open(everything)
  const { page } = opened
  await opened.go("/jobs")
  await openDialog(page, "Erase data")
  await page
    .getByRole("dialog")
    .getByLabel("E-mail address")
    .fill(row?.email ?? "")
  await page.getByText("replaced contents of all connections").waitFor()
  await page.getByLabel("Reason").fill("request 1")
  await confirmDialog(page, "Erase")
  await poll(() => pages.sql("select state from delivery where id = $1", [id])).toEqual([{ state: "erased" }])
  await opened.go(`/deliveries/${id}`)
  const entry = page.getByRole("listitem").filter({ hasText: "Erased" })
  await entry.getByRole("link", { name: /^job_/ }).waitFor()
  const at = await entry.locator("time").last().getAttribute("datetime")
  expect(Date.now() - Date.parse(at ?? "")).toBeLessThan(3_600_000)
  await page.getByText("What was sent, and what came back").click()
  expect(await page.getByText("The response had no body.").count()).toBe(0)
})

test("after an upgrade, a page whose file is missing is loaded again, and then offers the new version", async () => {
  await using opened = await pages.open(everything)
  const { page } = opened
  await opened.go("/jobs")
  await settle(page)
  let isUpgraded = false
  await page.route(/assets\/Audit-.*\.js/, (route) =>
    isUpgraded ? route.continue() : route.fulfill({ status: 404 }),
  )
  const loads: string[] = []
  page.on("load", () => {
    loads.push(page.url())
    isUpgraded = true
  })
  await page.getByRole("link", { name: "Audit log" }).click()
  await page.getByRole("table", { name: "Audit log" }).waitFor()
  expect(loads.length).toBeGreaterThan(0)

  // A file that stays missing.
  await page.route(/assets\/Keys-.*\.js/, (route) => route.fulfill({ status: 404 }))
  await page.getByRole("link", { name: "API keys" }).click()
  await page.getByText("A part of the page could not be loaded").waitFor()
  await page.getByRole("button", { name: "Load the page again" }).waitFor()
  expect(await page.getByText("TypeError").count()).toBe(0)
})

test("a staged secret is not lost with a click on another tab", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/channels/acme?tab=secrets")
  await openDialog(page, "Create new secret")
  await confirmDialog(page, "Create new secret")
  const secret = page.getByText("New signing secret").first()
  await secret.waitFor()
  await page.getByRole("tab", { name: "Health" }).click()
  await page.getByText("Last success").waitFor()
  await page.getByRole("tab", { name: "Secrets" }).click()
  await openDialog(page, "Show new secret")
  await confirmDialog(page, "Show new secret")
  await secret.waitFor()
})

test("an unknown address has a page, and a part of an id finds nothing", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/no/such/page")
  await page.getByRole("heading", { name: "Not found" }).waitFor()
  await page.getByRole("link", { name: "Deliveries" }).click()
  await page.getByRole("combobox", { name: "Channel" }).fill("glob")
  await page.getByText("No delivery matches these filters").waitFor()
  await opened.go("/channels/glob")
  await page.getByRole("heading", { name: "Not found" }).waitFor()
  expect(await page.getByText("/v1/").count()).toBe(0)
})

test("a name with a character that reverses the text does not reorder the body", async () => {
  const id = await insertDelivery(pages, "delivered")
  await pages.sql(
    `update delivery set body = convert_to(jsonb_build_object('name', 'Bakery ' || chr(8238) || 'txt.exe')::text, 'UTF8')
      where id = $1`,
    [id],
  )
  await using opened = await pages.open("operate")
  await opened.go(`/deliveries/${id}`)
  await opened.page.getByText('"name": "Bakery \\u202etxt.exe"').waitFor()
})

test("the audit log is searched by names of operations, by who, by what was shown, and by its target", async () => {
  await using opened = await pages.open(everything)
  const { page } = opened
  await opened.go("/audit")
  const rows = page.getByRole("table").locator("tbody tr")
  await rows.first().waitFor()
  await page.locator("input").and(page.getByLabel("Operation")).fill("reveal")
  await page.getByRole("option", { name: "Reveal a delivery's body" }).click()
  await poll(() => rows.count()).toBe(1)
  await opened.go("/audit")
  await page.locator("input").and(page.getByLabel("Shown")).click()
  await page.getByRole("option", { name: "Secrets and personal data" }).click()
  await poll(() => page.url()).toContain("revealed=true")
  const operations = rows.locator("td:nth-child(3)")
  await poll(() => operations.allTextContents()).not.toContain("Pause a channel")
  const shown = await operations.allTextContents()
  expect(shown).toEqual(
    expect.arrayContaining([
      "Reveal a delivery's body",
      "Stage a new signing secret",
      "Replace a connection's token",
    ]),
  )
  await opened.go("/audit?target_kind=channel")
  await page.getByRole("combobox", { name: "Id", exact: true }).fill("initech")
  await poll(() => operations.allTextContents()).toEqual(["Pause a channel"])
})

test("a connection that never had a success does not claim that its site has content", async () => {
  await pages.sql("update sync_window set last_success_at = null where connection_id = 'bookshop-stock'")
  await using opened = await pages.open("operate")
  await opened.go("/connections/bookshop-stock")
  await opened.page.getByText("The site has no content yet.").waitFor()
  expect(await opened.page.getByText("keeps the content").count()).toBe(0)
  await opened.page.getByText("responded with 502 Bad Gateway").first().waitFor()
})

test("a period shows what was created in it, in the reader's zone, which is named", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/deliveries")
  const zone = await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)
  await page.getByLabel(`From (${zone})`).waitFor()
  const choose = async (period: string) => {
    await page.getByRole("combobox", { name: "Period" }).click()
    await page.getByRole("option", { name: period }).click()
  }
  await choose("Yesterday")
  await poll(() => new URL(page.url()).searchParams.has("created_before")).toBe(true)
  const { searchParams } = new URL(page.url())
  const [after, before] = ["created_after", "created_before"].map((name) => searchParams.get(name))
  const midnights = await page.evaluate(() => {
    const now = new Date()
    const midnight = (days: number) =>
      new Date(now.getFullYear(), now.getMonth(), now.getDate() - days).toISOString()
    return [midnight(1), midnight(0)]
  })
  expect([after, before].map((time) => JSON.parse(JSON.stringify(new Date(String(time)))))).toEqual(midnights)
  const [newest] = await pages.sql<{ id: string }>(
    "select id from delivery where created_at >= $1 and created_at < $2 order by created_at desc, id desc limit 1",
    midnights,
  )
  await poll(() => page.locator('main a[href^="/deliveries/"]').first().getAttribute("href")).toBe(
    `/deliveries/${newest?.id}`,
  )
  await choose("Any time")
  await poll(() => new URL(page.url()).searchParams.has("created_after")).toBe(false)
})

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
