import type { ServerResponse } from "node:http"
import { type Received, startReceiver } from "@sitewire/cli/receivers"
import { verify } from "@sitewire/signing/sender"
import { waitUntil } from "@sitewire/testkit"
import type { Browser, Locator } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runCli } from "../../cli/test/fixtures/runCli.ts"
import { startSystem } from "../../cli/test/fixtures/startSystem.ts"
import { openBrowser, openPage } from "./fixtures/browser.ts"
import { buildPage } from "./fixtures/buildPage.ts"
import { needsChromium } from "./fixtures/needsChromium.ts"

const chromium = needsChromium()

/**
 * What each of the three users comes for, on the whole system with a real receiver. Every click is counted.
 */
let system: Awaited<ReturnType<typeof startSystem>>
let browser: Browser
const acme = { receiver: await startReceiver(respond), secret: "" }

function respond({ headers, body }: Received, response: ServerResponse): void {
  const header = headers["x-sitewire-signature"] as string | undefined
  const accepted = verify({ body, header: header ?? "", secrets: [acme.secret] }).valid
  response.writeHead(accepted ? 204 : 401).end(accepted ? "" : "invalid signature")
}

beforeAll(async () => {
  if (!chromium) return
  browser = await openBrowser()
  system = await startSystem(
    (_, response) => void response.writeHead(200).end('{"products":[]}'),
    { BREAKER_FAILURES: "4", CONSOLE_WEB_FOLDER: await buildPage() },
    { retryDelaysMs: [60_000, 300_000] },
  )
  const created = await call("POST", "/v1/channels", { id: "acme", address: `${acme.receiver.url}/sitewire` })
  acme.secret = created.signing_secret
})

afterAll(async () => {
  await browser?.close()
  await system?.stop()
  await acme.receiver.close()
})

async function call(method: string, path: string, body?: object, key = system.cliEnv.SITEWIRE_API_KEY) {
  const response = await fetch(`${system.cliEnv.SITEWIRE_API}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const json = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`)
  return json
}

/** A page that was opened with a link for a key with this scope, and counts its user's clicks. */
async function openAs(scope: string) {
  const { key } = await call("POST", "/v1/keys", { name: scope, scopes: [scope] })
  const { url } = await call("POST", "/v1/sign-in-links", undefined, key)
  const opened = await openPage(browser, url, { width: 1_440, height: 900, scheme: "light" })
  const user = {
    ...opened,
    clicks: 0,
    async click(target: Locator): Promise<void> {
      user.clicks += 1
      await target.click()
    },
    [Symbol.asyncDispose]: opened.close,
  }
  return user
}

const button = (within: Pick<Locator, "getByRole">, name: string) =>
  within.getByRole("button", { name, exact: true })

test("an operator finds out why acme received nothing, with two clicks", async () => {
  const { secret } = acme
  // The partner has deployed a wrong secret.
  acme.secret = "whsec_of_another_system"
  for (let count = 0; count < 4; count++)
    expect(await runCli(["event", "publish", "--channel", "acme"], { env: system.cliEnv })).toMatchObject({
      code: 0,
    })
  await waitUntil("acme to be failing", async () => {
    const { data } = await call("GET", "/v1/channels?health=failing")
    return data.length === 1
  })
  await using user = await openAs("operate")
  const { page } = user
  await page.getByText("Deliveries to the channel acme fail.").waitFor()
  await user.click(page.getByRole("link", { name: "See why, and tell the partner" }))
  await page.getByText("Last failure: HTTP 401").waitFor()
  const failure = page.locator("section", { hasText: "Last failure" }).getByRole("link").last()
  await user.click(failure)
  await page.getByText("invalid signature").waitFor()
  await page.getByText("sec_").first().waitFor()
  expect(user.clicks).toBe(2)
  acme.secret = secret
})

test("a site's owner replaces a token, with three clicks: the old URL responds 404, the new one starts a sync", async () => {
  const { id, trigger_url: old } = await call("POST", "/v1/connections", {
    site: "bakery.example",
    source: `${system.partner.url}/products`,
  })
  await using user = await openAs("site:bakery.example")
  const { page } = user
  await user.click(page.getByRole("link", { name: id }))
  await user.click(button(page, "Replace token"))
  await user.click(button(page.getByRole("dialog"), "Replace"))
  const url = await page
    .getByText(/\/connectors\/hook\//)
    .first()
    .textContent()
  expect(user.clicks).toBe(3)
  expect((await fetch(old, { method: "POST" })).status).toBe(404)
  expect((await fetch(url ?? "", { method: "POST" })).status).toBe(202)
  // The stream brings the sync to the page, without a reload.
  await page.getByText("Changed", { exact: true }).first().waitFor()
})
