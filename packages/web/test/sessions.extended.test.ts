import { gzipSync } from "node:zlib"
import { expect, test } from "vitest"
import budgets from "../../../budgets.json" with { type: "json" }
import { settle, visit } from "./fixtures/browser.ts"
import { openDialog, press } from "./fixtures/dialogs.ts"
import { poll } from "./fixtures/poll.ts"
import { pagesOfThisFile } from "./fixtures/startPages.ts"

const pages = pagesOfThisFile()

test("a page that needs a session asks for it, and then opens at the same URL", async () => {
  await using opened = await pages.open(null)
  const { page } = opened
  await opened.go("/deliveries?state=dead")
  await page.getByLabel("API key", { exact: true }).fill(await pages.keyOf("operate"))
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "Deliveries" }).waitFor()
  expect(page.url()).toContain("/deliveries?state=dead")
})

test("a wrong key is rejected with its reason", async () => {
  await using opened = await pages.open(null)
  const { page } = opened
  await opened.go("/")
  await page.getByLabel("API key", { exact: true }).fill(`swk_${"A".repeat(43)}`)
  await page.keyboard.press("Enter")
  await poll(() => page.getByRole("alert").textContent()).toContain("The API key is invalid")
})

test("a sign-in link disappears from the URL, asks before it signs in, and works once", async () => {
  const link = await pages.createLink(await pages.keyOf("operate"))
  await using first = await pages.open(null)
  await visit(first.page, link)
  const confirm = first.page.getByRole("button", { name: /^Sign in as / })
  await confirm.waitFor()
  expect(await first.page.context().cookies()).toEqual([])
  await confirm.click()
  await first.page.getByRole("heading", { name: "Overview" }).waitFor()
  expect(first.page.url()).not.toContain(new URL(link).hash.slice(-20))
  await using second = await pages.open(null)
  await visit(second.page, link)
  await poll(() => second.page.getByRole("alert").textContent()).toContain("once")
})

test("an operator ends the session of somebody else, who is told", async () => {
  await using partner = await pages.open("channel:acme")
  await partner.go("/")
  await settle(partner.page)
  await using operator = await pages.open("operate,admin")
  await operator.go("/keys")
  const row = operator.page
    .getByRole("table", { name: "Sessions" })
    .getByRole("row")
    .filter({ hasText: "channel:acme" })
    .first()
  await row.getByRole("button", { name: "End", exact: true }).click()
  await operator.page.getByRole("dialog").getByRole("button", { name: "End", exact: true }).click()
  await partner.page.getByText("Your session has ended").waitFor()
})

test("when a session ends, the page says so and continues at the same URL after signing in", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/channels/acme?tab=settings")
  await settle(page)
  await pages.sql("delete from session")
  await page.getByText("Your session has ended").waitFor()
  await page.getByLabel("API key", { exact: true }).fill(await pages.keyOf("operate"))
  await page.keyboard.press("Enter")
  await page.getByRole("heading", { name: "acme" }).waitFor()
  expect(page.url()).toContain("/channels/acme?tab=settings")
})

test("a new key that has expired already does not end the session of the operator who created it", async () => {
  await using opened = await pages.open("operate,personal-data,admin")
  const { page } = opened
  await opened.go("/keys")
  await openDialog(page, "Create key")
  await page.getByRole("dialog").getByLabel("Name").fill("short-lived")
  await page.getByRole("dialog").getByRole("combobox", { name: "Channel" }).fill("acme")
  await press(page, "Create key")
  await page.getByText(/^swk_/).waitFor()
  await pages.sql("update api_key set expires_at = now() where name = 'short-lived'")
  await press(page, "Create a sign-in link")
  await page.getByRole("alert").getByText("has expired").waitFor()
  await press(page, "I have stored it")
  await page.getByRole("heading", { name: "API keys" }).waitFor()
})

test("each scope sees its own pages, and not those of others by their URLs", async () => {
  await using partner = await pages.open("channel:acme")
  await partner.go("/")
  await settle(partner.page)
  const links = (await partner.page.getByRole("navigation").getByRole("link").allTextContents()).join()
  expect(links).toBe("Deliveries,Channels")
  expect(await partner.page.getByRole("button", { name: "Pause" }).count()).toBe(0)
  for (const path of ["/channels/globex", "/audit", "/connections/bakery-products"]) {
    await partner.go(path)
    await settle(partner.page)
    const text = await partner.page.getByRole("main").textContent()
    expect(text, path).toMatch(/Not found|You may not see this/)
  }

  await using reader = await pages.open("read")
  await reader.go("/channels/acme")
  await settle(reader.page)
  for (const name of ["Pause", "Send test"])
    expect(await reader.page.getByRole("button", { name }).count(), name).toBe(0)
})

test("each role sees its own pages and buttons", async () => {
  const linksOf = async (scopes: string) => {
    await using opened = await pages.open(scopes)
    await opened.go("/")
    await settle(opened.page)
    const links = await opened.page.getByRole("navigation").getByRole("link").allTextContents()
    return links.join()
  }
  const all = "Overview,Deliveries,Channels,Connections,Invalid events,Jobs"
  expect(await linksOf("operate")).toBe(all)
  expect(await linksOf("operate,admin")).toBe(`${all},API keys,Audit log`)
  expect(await linksOf("admin")).toBe("API keys,Audit log")
  expect(await linksOf("personal-data")).toBe("Jobs")
  expect(await linksOf("publisher")).toBe("Invalid events")
  expect(await linksOf("connection:bakery-products")).toBe("Connections")

  const count = async (scopes: string, path: string, name: string) => {
    await using opened = await pages.open(scopes)
    await opened.go(path)
    await settle(opened.page)
    return await opened.page.getByRole("button", { name, exact: true }).count()
  }
  const [delivered] = await pages.sql<{ id: string }>(
    "select id from delivery where channel_id = 'acme' and state = 'delivered' limit 1",
  )
  for (const [path, name, shownTo, hiddenFrom] of [
    [`/deliveries/${delivered?.id}`, "Reveal", "operate,personal-data", "operate"],
    ["/jobs", "Erase data", "personal-data", "operate"],
    ["/keys", "Create key", "operate,admin", "operate"],
    ["/connections/bakery-products", "Sync now", "operate", "connection:bakery-products"],
  ] as const) {
    expect(await count(shownTo, path, name), name).toBe(1)
    expect(await count(hiddenFrom, path, name), name).toBe(0)
  }
})

test("an interrupted stream is reported until it is back", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/")
  await settle(page)
  await page.context().route("**/v1/stream", (route) => route.abort())
  await page.reload()
  await page.getByText("Live updates are interrupted").waitFor()
  await page.context().unroute("**/v1/stream")
  await page.getByText("Live updates are interrupted").waitFor({ state: "detached" })
})

test("while the API is slow, the page says that it is loading; a failed request can be repeated", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  let respond = () => {}
  const held = new Promise<void>((resolve) => {
    respond = resolve
  })
  await page.context().route("**/v1/channels?*", async (route) => {
    await held
    await route.fulfill({
      status: 503,
      contentType: "application/problem+json",
      body: '{"title":"Unavailable","detail":"Postgres does not respond.","status":503}',
    })
  })
  await opened.go("/channels")
  await page.getByRole("status", { name: "Loading" }).waitFor()
  await page.getByRole("heading", { name: "Channels" }).waitFor()
  respond()
  await page.getByText("Postgres does not respond.").waitFor()
  await page.context().unroute("**/v1/channels?*")
  await page.getByRole("button", { name: "Try again" }).click()
  await page.getByRole("link", { name: "globex" }).waitFor()
})

test("a search whose requests fail states what it could not search, and offers what it found otherwise", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  const fail = (url: string) =>
    page.route(url, (route) => route.fulfill({ status: 503, json: { title: "Unavailable", status: 503 } }))
  await fail("**/v1/deliveries?*")
  await opened.go("/")
  await settle(page)
  await page.keyboard.press("/")
  const input = page.getByRole("dialog").getByRole("combobox")
  await input.fill("globex")
  await page.getByRole("option", { name: "globex" }).waitFor()
  await page.getByText("These could not be searched: Deliveries.").waitFor()

  await fail("**/v1/channels?*")
  await input.fill("evt_unknown")
  await page.getByText("These could not be searched: Channels, Deliveries.").waitFor()
  // A text that is too long for the id of a channel is no failure.
  await page.unrouteAll()
  await input.fill("x".repeat(150))
  await page.getByText("Nothing found").waitFor()
})

test("a long list renders only the rows in view, and goes on while it is scrolled", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/deliveries")
  await settle(page)
  const rows = page.getByRole("main").getByRole("link", { name: /^evt_/ })
  const first = await rows.first().textContent()
  for (let scrolled = 0; scrolled < 10; scrolled++) {
    const height = await page.evaluate(() => {
      window.scrollTo(0, document.documentElement.scrollHeight)
      return document.documentElement.scrollHeight
    })
    // The next rows have been read.
    await page.waitForFunction((before) => document.documentElement.scrollHeight > before, height)
  }
  expect(await rows.count()).toBeLessThan(100)
  expect(await rows.first().textContent()).not.toBe(first)
})

test("filters are in the URL, the back button restores them, and a time shows UTC", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  await opened.go("/deliveries")
  await page.getByRole("combobox", { name: "State" }).click()
  await page.getByRole("option", { name: "Dead" }).click()
  await page.waitForURL("**/deliveries?state=dead")
  // Until the dead ones have been read, the list still has all.
  const dead = page.getByRole("row").filter({ hasText: "Dead" })
  await dead.getByRole("link", { name: /^evt_/ }).first().click()
  await page.getByText("It was not accepted within the retry period").waitFor()
  expect(await page.locator("time[title*=UTC]").count()).toBeGreaterThan(0)
  await page.goBack()
  await page.waitForURL("**/deliveries?state=dead")
  await page.getByText("Dead", { exact: true }).first().waitFor()
})

test("the first view is within its budget, and asks for the session once", async () => {
  await using opened = await pages.open("operate")
  const { page } = opened
  const files = new Set<string>()
  let sessions = 0
  page.on("request", (request) => {
    if (new URL(request.url()).pathname === "/session") sessions++
  })
  page.on("response", (response) => {
    if (/\.(js|css|svg)$|\/$/.test(new URL(response.url()).pathname)) files.add(response.url())
  })
  await opened.go("/")
  await settle(page)
  await page.getByRole("slider").first().waitFor()
  // Read again, because a busy browser does not keep the bodies.
  const sizes = await Promise.all(
    [...files].map(async (url) => gzipSync(await (await fetch(url)).arrayBuffer()).length),
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  console.log(`first view: ${Math.round(total / 1_000)} kB in ${sizes.length} files`)
  expect(sizes.length).toBeGreaterThan(5)
  expect(total).toBeLessThan(budgets.firstViewKilobytes * 1_000)
  // The head of the page requests it before any code is there, and the code uses that response.
  expect(sessions).toBe(1)
})
