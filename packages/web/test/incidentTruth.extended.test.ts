import { startFaultyReceiver, startReceiver } from "@sitewire/cli/receivers"
import type { Attempt } from "@sitewire/contracts"
import { failureText } from "@sitewire/contracts/partnerMessage"
import { kafkaBrokers, postgresAddress, waitUntil } from "@sitewire/testkit"
import { interruptNetwork } from "@sitewire/testkit/interruptNetwork"
import type { Locator } from "playwright-core"
import { expect, onTestFinished, test } from "vitest"
import { startSystem } from "../../cli/test/fixtures/startSystem.ts"
import { openBrowser, openPage, visit } from "../screenshots/browser.ts"
import { buildPage } from "./fixtures/buildPage.ts"
import { openDialog } from "./fixtures/dialogs.ts"
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
  "what the overview says of eleven faults at once, since when, how much and why, is what the rows say",
  async () => {
    const network = interruptNetwork(Number(kafkaBrokers()[0]?.split(":").at(-1)))
    const database = interruptNetwork(Number(new URL(postgresAddress()).port))
    const works = await startReceiver((_, response) => void response.writeHead(204).end())
    const receivers = await Promise.all(
      faults.map(async (fault) => ({ id: fault, ...(await startFaultyReceiver(fault)) })),
    )
    const system = await startSystem(
      () => {},
      {
        CONSOLE_WEB_FOLDER: await buildPage(),
        RETRY_PERIOD: "30s",
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
            ...{ id, channel, reference: id, name: "Bakery", email: "owner@bakery.example" },
            ...{ site_url: `https://${id}.example`, console_url: `https://${id}.example/console` },
            created_at: new Date().toISOString(),
          }),
        },
      ])

    await call("POST", "/v1/channels", { id: "works", address: works.url })
    for (const { id, url } of receivers) await call("POST", "/v1/channels", { id, address: url })
    const source = `${system.partner.url}/hangs`
    const { trigger_url } = await call("POST", "/v1/connections", {
      id: "hangs",
      site: "bakery.example",
      source,
    })
    const { url } = await call("POST", "/v1/sign-in-links")
    const { page } = await openPage(browser, url, { width: 1_440, height: 900, scheme: "light" })
    // That no dispatcher is running is known after a minute.
    page.setDefaultTimeout(240_000)
    const overview = () => visit(page, `${cliEnv.SITEWIRE_API}/`)
    const incidents = page.getByRole("region", { name: "Current incidents" }).getByRole("listitem")
    const failingOf = (id: string) => incidents.filter({ hasText: `Deliveries to the channel ${id} fail.` })
    const failing = failingOf(moved)
    const sinceOf = (incident: Locator) => incident.locator("time").getAttribute("datetime")
    const shownSince = () => sinceOf(failing)

    await publish("evt-works", "works")
    await publish("evt-nobody", "nobody")
    for (const n of [1, 2, 3]) await publish(`evt-moved-${n}`, moved)
    for (const { id } of receivers) await publish(`evt-${id}`, id)
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
    await incidents.filter({ hasText: "Publishers sent 1 invalid event" }).waitFor()

    // A dispatcher that is killed heals nothing, and none is left.
    await system.processes.get("dispatcher")?.end("SIGKILL")
    const missing = incidents.filter({ hasText: "No dispatcher is running." })
    await missing.waitFor()
    expect(await incidents.first().textContent()).toContain("No dispatcher is running.")
    expect(await missing.locator("time").getAttribute("datetime")).toBe(
      await iso("select max(seen_at) as at from dispatcher"),
    )
    expect(await shownSince()).toBe(firstFailure)
    await it.start("dispatcher")
    await missing.waitFor({ state: "detached" })
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
    for (const { id, since, dead, ...failure } of rows) {
      const counted = dead === 1 ? "1 delivery is dead." : `${dead} deliveries are dead.`
      await failingOf(id).getByText(counted).waitFor()
      expect(await failingOf(id).textContent()).toContain(failureText(failure))
      expect(await sinceOf(failingOf(id))).toBe(since.toISOString())
    }
    // What has lost most is first.
    expect(await incidents.first().textContent()).toContain(moved)
    await call("PATCH", `/v1/channels/${moved}`, { address: works.url })
    await call("POST", `/v1/channels/${moved}/test`)
    await failing.waitFor({ state: "detached" })
    const dead = incidents.filter({ hasText: `4 deliveries to the channel ${moved} are dead.` })
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
    await dead.getByRole("link", { name: "Resend them" }).click()
    await openDialog(page, "Resend these")
    await page.getByText("4 deliveries will be sent again").waitFor()
    expect(await page.getByText("still failing").count()).toBe(0)

    // A source that hangs is running most of the time.
    expect((await fetch(trigger_url, { method: "POST" })).status).toBe(202)
    await waitUntil(
      "a failed sync",
      async () => (await it.sql("select from sync_window where failing_since is not null")).length === 1,
    )
    await it.sql(
      "update sync_window set failing_since = failing_since - interval '2 minutes', running = true",
    )
    await overview()
    const host = new URL(source).host
    const fails = incidents.filter({ hasText: `The source of the connection hangs on ${host} fails.` })
    await fails.getByText("did not send its whole response in time").waitFor()
    expect(await fails.locator("time").getAttribute("datetime")).toBe(
      await iso("select failing_since as at from sync_window"),
    )

    await system.processes.get("scheduler")?.end("SIGKILL")
    await it.sql("update sync_window set due_at = now() - interval '2 minutes', running = false")
    const overdue = incidents.filter({ hasText: "Syncs are overdue: no scheduler starts them." })
    await overdue.getByText("1 sync is due").waitFor()
    expect(await sinceOf(overdue)).toBe(await iso("select due_at as at from sync_window"))
    await it.start("scheduler")
    await overdue.waitFor({ state: "detached" })

    network.cut()
    const kafka = incidents.filter({ hasText: "Kafka does not respond." })
    await kafka.waitFor()
    await poll(() => incidents.first().textContent()).toContain("partners' triggers get 503")
    network.restore()
    await kafka.waitFor({ state: "detached" })
    const [ended] = await it.sql(
      "select resolved_at > since as lasted from incident where kind = 'kafka.unavailable'",
    )
    expect(ended).toEqual({ lasted: true })

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
