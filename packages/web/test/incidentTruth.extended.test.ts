import { readFile } from "node:fs/promises"
import { startFaultyReceiver, startReceiver } from "@sitewire/cli/receivers"
import type { Attempt } from "@sitewire/contracts"
import { failureText } from "@sitewire/contracts/partnerMessage"
import { kafkaBrokers, postgresAddress, waitUntil } from "@sitewire/testkit"
import { interruptNetwork } from "@sitewire/testkit/interruptNetwork"
import type { Locator } from "playwright-core"
import { expect, onTestFinished, test } from "vitest"
import { startSystem } from "../../cli/test/fixtures/startSystem.ts"
import { formatSpan } from "../src/format.ts"
import { openBrowser, openPage, settle, visit } from "./fixtures/browser.ts"
import { buildPage } from "./fixtures/buildPage.ts"
import { countClicks } from "./fixtures/countClicks.ts"
import { act, confirmDialog, openDialog, press } from "./fixtures/dialogs.ts"
import { needsChromium } from "./fixtures/needsChromium.ts"
import { poll } from "./fixtures/poll.ts"

const chromium = needsChromium()

/** Each is the id of a channel whose receiver has it. */
const faults = [
  "redirects-elsewhere",
  "self-signed-certificate",
  "server-error",
  "resets-after-body",
  "invalid-http",
] as const
const moved = faults[0]

test.skipIf(!chromium)(
  "what the page says of eleven faults at once, since when, how much and why, is what the rows say, and so is what twelve tasks of an operator on duty do",
  async () => {
    const network = interruptNetwork(Number(kafkaBrokers()[0]?.split(":").at(-1)))
    const database = interruptNetwork(Number(new URL(postgresAddress()).port))
    const works = await startReceiver((_, response) => void response.writeHead(204).end())
    const working = new URL(works.url).href
    const receivers = await Promise.all(
      faults.map(async (fault) => ({ id: fault, ...(await startFaultyReceiver(fault)) })),
    )
    const system = await startSystem(
      () => {},
      {
        CONSOLE_WEB_FOLDER: await buildPage(),
        RETRY_PERIOD: "20s",
        SYNC_DEADLINE: "2s",
        SYNC_WINDOW: "10s",
      },
      { console: { countMarginMs: 3_000 } },
    )
    const browser = await openBrowser()
    onTestFinished(async () => {
      await browser.close()
      await system.stop()
      await Promise.all([works, ...receivers].map(({ close }) => close()))
    })
    const { installation: it, cliEnv } = system
    async function call(method: string, path: string, body?: object) {
      const response = await fetch(`${cliEnv.SITEWIRE_API}${path}`, {
        method,
        headers: { authorization: `Bearer ${cliEnv.SITEWIRE_API_KEY}`, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const json = await response.json()
      if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`)
      return json
    }
    const iso = async (statement: string) =>
      (await it.sql<{ at: Date | null }>(statement))[0]?.at?.toISOString() ?? null
    const publish = (id: string, channel: string) =>
      it.publish([
        {
          topic: it.names.sitePaid,
          key: id,
          value: JSON.stringify({
            ...{
              id,
              channel,
              reference: `reference of ${id}`,
              name: "Bakery",
              email: `${id}@bakery.example`,
            },
            ...{ site_url: `https://${id}.example`, console_url: `https://${id}.example/console` },
            created_at: new Date().toISOString(),
          }),
        },
      ])

    for (const { id, url } of receivers) await call("POST", "/v1/channels", { id, address: url })
    const source = `${system.partner.url}/hangs`
    const { trigger_url } = await call("POST", "/v1/connections", {
      id: "hangs",
      site: "bakery.example",
      source,
    })
    const { url } = await call("POST", "/v1/sign-in-links")
    const { page } = await openPage(browser, url, { width: 1_440, height: 900, scheme: "light" })
    page.setDefaultTimeout(120_000)
    const clicks = await countClicks(page)
    const urls: string[] = []
    page.on("request", (request) => void urls.push(request.url()))
    const go = async (path: string) => {
      await visit(page, `${cliEnv.SITEWIRE_API}${path}`)
      await settle(page)
    }
    const overview = () => go("/")
    /** `most`: presses of the pointer. */
    async function task(name: string, most: number, walk: () => Promise<void>): Promise<void> {
      const before = clicks()
      await walk()
      expect(clicks() - before, name).toBeLessThanOrEqual(most)
    }
    /** Opens the overview when an incident of the kind has begun or ended. An open page would take up to 15 seconds. */
    async function when(state: "open" | "ended", kind: string, subject = "%"): Promise<void> {
      await waitUntil(`${kind} ${state}`, async () => {
        const rows = await it.sql(
          "select from incident where kind = $1 and subject_id like $2 and resolved_at is null",
          [kind, subject],
        )
        return rows.length > 0 === (state === "open")
      })
      await overview()
    }
    /** Opens the delivery that the search finds, by keyboard. */
    async function find(text: string, event: string): Promise<void> {
      await page.keyboard.press("/")
      await page.locator("[role=combobox]:focus").waitFor()
      // The typing of an e-mail address pauses, and what was typed so far is searched.
      const [part = "", ...rest] = text.split(/(?<=@.)/)
      const counted = rest.length > 0 && page.waitForRequest("**/v1/jobs/erasure")
      await page.keyboard.type(part)
      await counted
      await page.keyboard.type(rest.join(""))
      const hit = page.getByRole("option").filter({ hasText: event })
      await hit.getByText(`https://${event}.example`).waitFor()
      expect(await hit.textContent()).toMatch(/\d\d:\d\d:\d\d/)
      await page.keyboard.press("Enter")
      await page.getByRole("heading", { name: event }).waitFor()
      const [row] = await it.sql<{ id: string }>("select id from delivery where event_id = $1", [event])
      expect(new URL(page.url()).pathname).toBe(`/deliveries/${row?.id}`)
    }
    const channelRow = async (id: string) =>
      (
        await it.sql<{ secret_id: string; other_secret_id: string | null; paused_at: Date | null }>(
          "select secret_id, other_secret_id, paused_at from channel where id = $1",
          [id],
        )
      )[0]
    const incidents = page.getByRole("region", { name: "Current incidents" }).getByRole("listitem")
    const failingOf = (id: string) => incidents.filter({ hasText: `Deliveries to the channel ${id} fail.` })
    const failing = failingOf(moved)
    const sinceOf = (incident: Locator) => incident.locator("time").getAttribute("datetime")
    const shownSince = () => sinceOf(failing)

    // A new channel with a mistyped host.
    await go("/channels")
    await openDialog(page, "Create channel")
    await page.getByLabel("Id (optional)").fill("works")
    await page.getByLabel("Notification address").fill("https://mistyped.invalid/")
    await press(page, "Create channel")
    await page.getByRole("alert").getByText("mistyped.invalid").waitFor()
    await page.getByRole("button", { name: "Create anyway" }).waitFor()
    await page.getByLabel("Notification address").fill(working)
    await press(page, "Create channel")
    await confirmDialog(page, "I have stored it")
    expect(await it.sql("select address from channel where id = 'works'")).toEqual([{ address: working }])

    await publish("evt-works", "works")
    await publish("evt-nobody", "nobody")
    for (const n of [1, 2, 3]) await publish(`evt-moved-${n}`, moved)
    for (const { id } of receivers) await publish(`evt-${id}`, id)
    // 1. What is wrong, since when, and whose fault.
    await waitUntil(
      "five failing channels",
      async () =>
        (await it.sql("select from incident where kind = 'channel.failing'")).length === faults.length,
    )
    await overview()
    await failing.waitFor()
    const firstFailure = await iso(
      "select min(started_at) as at from attempt join delivery on id = delivery_id where channel_id = 'redirects-elsewhere'",
    )
    expect(await shownSince()).toBe(firstFailure)
    await failing
      .getByText("HTTP 301 (redirects are not followed: this one points to https://elsewhere.example")
      .waitFor()
    await page.getByText("1 of 6 channels succeed now.").waitFor()

    // A dispatcher that is killed heals nothing, and none is left.
    await system.processes.get("dispatcher")?.end("SIGKILL")
    await it.sql("update dispatcher set seen_at = seen_at - interval '1 minute'")
    const missing = incidents.filter({ hasText: "No dispatcher is running." })
    await when("open", "dispatcher.missing")
    expect(await incidents.first().textContent()).toContain("No dispatcher is running.")
    expect(await missing.locator("time").getAttribute("datetime")).toBe(
      await iso("select max(seen_at) as at from dispatcher"),
    )
    expect(await shownSince()).toBe(firstFailure)
    await it.start("dispatcher")
    await when("ended", "dispatcher.missing")
    expect(await missing.count()).toBe(0)
    expect(await shownSince()).toBe(firstFailure)

    // Everything dies. The partner is corrected, and nothing waits.
    await waitUntil(
      "nothing to wait",
      async () => (await it.sql("select from waiting_delivery")).length === 0,
    )
    const rows = await it.sql<
      Pick<Attempt, "status" | "detail"> & {
        id: string
        since: Date
        dead: number
        error: NonNullable<Attempt["error"]>
      }
    >(
      `select distinct on (channel_id) channel_id as id, status, error, detail, min(started_at) over own as since,
              (select count(*)::int from delivery as d where d.channel_id = delivery.channel_id and state = 'dead') as dead
         from attempt join delivery on id = delivery_id where channel_id <> 'works'
       window own as (partition by channel_id) order by channel_id, started_at desc`,
    )
    expect(rows.map(({ id }) => id).sort()).toEqual([...faults].sort())
    await waitUntil("the incidents to count all dead", async () => {
      const [counted] = await it.sql<{ dead: number }>(
        "select sum((details ->> 'dead')::int)::int as dead from incident where kind = 'channel.failing'",
      )
      return counted?.dead === rows.reduce((sum, { dead }) => sum + dead, 0)
    })
    await overview()
    for (const { id, since, dead, ...failure } of rows) {
      const counted = dead === 1 ? "1 delivery is dead." : `${dead} deliveries are dead.`
      await failingOf(id).getByText(counted).waitFor()
      expect(await failingOf(id).textContent()).toContain(failureText(failure))
      expect(await sinceOf(failingOf(id))).toBe(since.toISOString())
    }
    // Kafka is searched once a minute.
    await when("open", "event.invalid")
    await incidents.filter({ hasText: "Publishers sent 1 invalid event" }).waitFor()
    // What has lost most is first.
    expect(await incidents.first().textContent()).toContain(moved)

    await task("2. find a partner's delivery by reference", 0, () =>
      find("reference of evt-server-error", "evt-server-error"),
    )
    await task("3. find one by its e-mail address, which is in no URL", 0, async () => {
      await find("evt-self-signed-certificate@bakery.example", "evt-self-signed-certificate")
      expect(urls.filter((url) => /\/v1\/.*(@|%40)/.test(url))).toEqual([])
    })
    await task("4. read why it failed", 0, async () => {
      const reason = rows.find(({ id }) => id === "self-signed-certificate")?.detail ?? ""
      expect(reason).not.toBe("")
      await page.getByText(reason).last().waitFor()
    })
    await task("5. download it as evidence", 4, async () => {
      await act(page, "Reveal")
      await page
        .getByText(/"email":"evt-self-signed-certificate@bakery/)
        .first()
        .waitFor()
      const [file] = await Promise.all([page.waitForEvent("download"), act(page, "Download")])
      const { id, attempt_log, sent } = JSON.parse(await readFile(await file.path(), "utf8"))
      const [stored] = await it.sql(
        `select id, attempts, encode(body_sha256, 'hex') as sha256,
                (select count(*)::int from audit_entry where operation = 'revealDelivery' and target_id = delivery.id::text) as revealed
           from delivery where event_id = 'evt-self-signed-certificate'`,
      )
      expect({ id, attempts: attempt_log.length, sha256: sent.body_sha256, revealed: 2 }).toEqual(stored)
    })
    await task("6. correct the address, whose test passes, and test the receiver", 5, async () => {
      await go(`/channels/${moved}?tab=settings`)
      const address = page.getByLabel("Notification address")
      await address.fill(working)
      await page.getByRole("button", { name: "Save" }).click()
      await page.getByText("The channel is changed").waitFor()
      const [corrected] = await it.sql(
        `select address, ended_at is not null as works from channel join channel_failure on channel_id = id where id = '${moved}'`,
      )
      expect(corrected).toEqual({ address: working, works: true })
      await openDialog(page, "Send test")
      await press(page, "Send test")
      await page.getByText("The receiver accepted it").waitFor()
    })
    const dead = incidents.filter({ hasText: `4 deliveries to the channel ${moved} are dead.` })
    await when("ended", "channel.failing", moved)
    expect(await failing.count()).toBe(0)
    await dead.waitFor()
    expect(
      await iso(
        "select resolved_at as at from incident where kind = 'channel.failing' and subject_id = 'redirects-elsewhere'",
      ),
    ).toBe(await iso("select ended_at as at from channel_failure where channel_id = 'redirects-elsewhere'"))
    await waitUntil("the breaker to close", async () => {
      return (
        (
          await it.sql(
            "select from channel_status where breaker_opened_at is not null and channel_id = 'redirects-elsewhere'",
          )
        ).length === 0
      )
    })
    await task("7. resend its dead", 3, async () => {
      await dead.getByRole("link", { name: "Resend them" }).click()
      await openDialog(page, "Resend these")
      await page.getByText("4 deliveries will be sent again").waitFor()
      expect(await page.getByText("still failing").count()).toBe(0)
      await page.getByLabel("Reason").fill("INC-1")
      await confirmDialog(page, "Resend 4")
      const outcome = page.getByRole("region", { name: "What became of its deliveries" })
      await poll(() =>
        outcome.locator("dl > div", { hasText: "Delivered" }).locator("dd").first().textContent(),
      ).toBe("4")
      const delivered = `select from delivery where channel_id = '${moved}' and state = 'delivered'`
      expect(await it.sql(delivered)).toHaveLength(4)
    })
    const ofPaused = async () =>
      (
        await it.sql(
          `select state, deferred_reason as reason from delivery left join waiting_delivery on delivery_id = id where event_id = 'evt-paused'`,
        )
      )[0]
    await task("8. pause a channel", 2, async () => {
      await go("/channels/works")
      await act(page, "Pause")
      await page.getByText("Channel works is paused").waitFor()
      expect((await channelRow("works"))?.paused_at).not.toBeNull()
    })
    await publish("evt-paused", "works")
    await poll(ofPaused).toEqual({ state: "pending", reason: "paused" })
    await task("9. cancel a delivery, and resend it after all", 6, async () => {
      await find("evt-paused", "evt-paused")
      await act(page, "Cancel delivery")
      await page.getByText("It was cancelled").waitFor()
      expect(await ofPaused()).toEqual({ state: "cancelled", reason: null })
      await act(page, "Resend")
      await poll(ofPaused).toMatchObject({ state: "pending" })
      await go("/channels/works")
      await act(page, "Resume")
      await poll(ofPaused).toEqual({ state: "delivered", reason: null })
    })
    await task("10. rotate a signing secret", 7, async () => {
      await page.getByRole("tab", { name: "Secrets" }).click()
      await act(page, "Create new secret")
      const staged = (await channelRow("works"))?.other_secret_id
      for (const step of ["Activate", "Delete old secret"]) await act(page, step)
      await poll(() => channelRow("works")).toEqual({
        secret_id: staged,
        other_secret_id: null,
        paused_at: null,
      })
    })

    // A source that hangs is running most of the time.
    expect((await fetch(trigger_url, { method: "POST" })).status).toBe(202)
    await waitUntil(
      "a failed sync",
      async () => (await it.sql("select from sync_window where failing_since is not null")).length === 1,
    )
    await it.sql(
      "update sync_window set failing_since = failing_since - interval '2 minutes', running = true",
    )
    await when("open", "connection.failing")
    const host = new URL(source).host
    const fails = incidents.filter({ hasText: `The source of the connection hangs on ${host} fails.` })
    await fails.getByText("did not send its whole response in time").waitFor()
    expect(await fails.locator("time").getAttribute("datetime")).toBe(
      await iso("select failing_since as at from sync_window"),
    )

    await task("11. look at the windows of a connection", 1, async () => {
      await fails.getByRole("link", { name: "See the syncs" }).click()
      const failed = page.getByRole("list", { name: "Triggers and syncs" }).locator("[data-kind=bad]").first()
      await failed.getByText("did not send its whole response in time").waitFor()
      expect(await failed.locator("time").first().getAttribute("datetime")).toBe(
        await iso("select max(started_at) as at from sync_run where outcome = 'failed'"),
      )
    })

    await system.processes.get("scheduler")?.end("SIGKILL")
    await it.sql("update sync_window set due_at = now() - interval '2 minutes', running = false")
    const overdue = incidents.filter({ hasText: "Syncs are overdue: no scheduler starts them." })
    await when("open", "sync.overdue")
    await overdue.getByText("1 sync is due").waitFor()
    expect(await sinceOf(overdue)).toBe(await iso("select due_at as at from sync_window"))
    await it.start("scheduler")
    await when("ended", "sync.overdue")
    expect(await overdue.count()).toBe(0)

    network.cut()
    const kafka = incidents.filter({ hasText: "Kafka does not respond." })
    await kafka.waitFor()
    await poll(() => incidents.first().textContent()).toContain("partners' triggers get 503")
    network.restore()
    await when("ended", "kafka.unavailable")
    expect(await kafka.count()).toBe(0)
    const [ended] = await it.sql(
      "select resolved_at > since as lasted from incident where kind = 'kafka.unavailable'",
    )
    expect(ended).toEqual({ lasted: true })
    await task("12. see that an incident ended, and how long it lasted", 1, async () => {
      await page.getByRole("link", { name: "Resolved incidents" }).click()
      const row = page.getByRole("row").filter({ hasText: "Channel was failing" }).filter({ hasText: moved })
      const [incident] = await it.sql<{ since: Date; ms: number }>(
        `select since, (extract(epoch from resolved_at - since) * 1000)::float8 as ms
           from incident where kind = 'channel.failing' and subject_id = '${moved}'`,
      )
      expect(await row.locator("time").getAttribute("datetime")).toBe(incident?.since.toISOString())
      expect(await row.locator("td").nth(1).textContent()).toBe(formatSpan(incident?.ms ?? 0))
    })

    // The page is opened while Postgres hangs.
    database.hang()
    await page.goto(`${cliEnv.SITEWIRE_API}/`)
    await page.getByText("The console, or its Postgres, does not respond.").waitFor()
    await page.getByText("Sitewire", { exact: true }).waitFor()
    database.resume()
    await fails.waitFor()
  },
  900_000,
)
