import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startSystem } from "../../cli/test/fixtures/startSystem.ts"
import { openBrowser, openPage, visit } from "../screenshots/browser.ts"
import { buildPage } from "./fixtures/buildPage.ts"
import { needsChromium } from "./fixtures/needsChromium.ts"
import { poll } from "./fixtures/poll.ts"
import { readFigure, readLegends } from "./fixtures/readFigures.ts"

const chromium = needsChromium()

/** Partners that accept, fail, never respond, or are paused. Each gets events until the tests end. */
const partners = {
  accepts: await startReceiver((_, response) => void response.writeHead(204).end()),
  fails: await startReceiver((_, response) => void response.writeHead(503).end("down")),
  hangs: await startReceiver(() => {}),
  paused: await startReceiver((_, response) => void response.writeHead(204).end()),
}

let system: Awaited<ReturnType<typeof startSystem>>
let browser: Browser
let page: Page
let load: ReturnType<typeof setInterval>

beforeAll(async () => {
  if (!chromium) return
  browser = await openBrowser()
  system = await startSystem(
    (_, response) => void response.writeHead(200).end('{"products":[]}'),
    {
      CONSOLE_WEB_FOLDER: await buildPage(),
      RETRY_PERIOD: "20s",
      DELIVERY_TIMEOUT: "2s",
      BREAKER_COOLDOWN: "1s",
    },
    { retryDelaysMs: [2_000, 5_000] },
  )
  for (const [id, { url }] of Object.entries(partners))
    await call("POST", "/v1/channels", { id, address: `${url}/sitewire` })
  await call("POST", "/v1/channels/paused/pause")
  const { trigger_url } = await call("POST", "/v1/connections", {
    site: "bakery.example",
    source: `${system.partner.url}/products`,
  })
  let count = 0
  load = setInterval(() => {
    count += 1
    for (const channel of Object.keys(partners)) void publish(`evt_${channel}_${count}`, channel)
    void fetch(trigger_url, { method: "POST" }).catch(() => {})
  }, 250)
  const { url } = await call("POST", "/v1/sign-in-links")
  const opened = await openPage(browser, url, { width: 1_440, height: 900, scheme: "light" })
  page = opened.page
})

afterAll(async () => {
  clearInterval(load)
  await browser?.close()
  await system?.stop()
  for (const partner of Object.values(partners)) await partner.close()
})

async function call(method: string, path: string, body?: object) {
  const response = await fetch(`${system.cliEnv.SITEWIRE_API}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${system.cliEnv.SITEWIRE_API_KEY}`,
      "content-type": "application/json",
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  })
  const json = await response.json()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(json)}`)
  return json
}

const publish = (id: string, channel: string) =>
  system.installation.publish([
    {
      topic: system.installation.names.sitePaid,
      key: id,
      value: JSON.stringify({
        id,
        channel,
        reference: `user-${id}`,
        site_url: `https://${id.replaceAll("_", "-")}.example`,
        console_url: `https://${id.replaceAll("_", "-")}.example/console`,
        name: "Bakery",
        email: "owner@bakery.example",
        created_at: new Date().toISOString(),
      }),
    },
  ])

const one = async (statement: string, ...values: unknown[]): Promise<Record<string, number>> => {
  const [row] = await system.installation.sql<Record<string, number>>(statement, values)
  return row ?? {}
}
const go = (path: string) => visit(page, `${system.cliEnv.SITEWIRE_API}${path}`)
/** Everything before this time is in the charts. */
const countedUntil = () => page.getByText("Counted until").locator("time").getAttribute("datetime")

// Attempts of a minute are counted again ten minutes later, if some were recorded late. Half a minute is enough here.
const counts = `
select (select count(*)::int from delivery where stored_at < $1 and ($2::text is null or channel_id = $2)) as created,
       (select count(*)::int from attempt join delivery on id = delivery_id
         where started_at < $1 and error is not null and ($2::text is null or channel_id = $2)) as failed,
       (select count(*)::int from attempt join delivery on id = delivery_id
         where started_at < $1 and ($2::text is null or channel_id = $2)) as attempts,
       (select percentile_disc(0.45) within group (order by duration_ms) from attempt join delivery on id = delivery_id
         where started_at < $1 and ($2::text is null or channel_id = $2)) as p45,
       (select percentile_disc(0.55) within group (order by duration_ms) from attempt join delivery on id = delivery_id
         where started_at < $1 and ($2::text is null or channel_id = $2)) as p55,
       (select coalesce(sum(triggers), 0)::int from sync_run
         where started_at < $1 and outcome in ('changed', 'unchanged')) as covered,
       (select count(*)::int from sync_run where started_at < $1) as syncs`

const format = (value: number | undefined) => new Intl.NumberFormat("en-GB").format(value ?? -1)

/** In ms, as the page shows durations. */
function parseMs(text: string | undefined): number {
  const [value, unit] = (text ?? "").split(" ")
  return Number(value) * (unit === "s" ? 1_000 : 1)
}

/** The page may read its charts again in between. */
async function readCharts() {
  for (;;) {
    const until = await countedUntil()
    const legends = await readLegends(page)
    if (until === (await countedUntil())) return { until, legends }
  }
}

async function expectCharts(channel: string | null): Promise<void> {
  const { until, legends } = await readCharts()
  const truth = await one(counts, until, channel)
  expect(truth.created).toBeGreaterThan(50)
  expect(legends.Deliveries).toEqual({
    created: format(truth.created),
    "failed attempts": format(truth.failed),
  })
  const { p50 = "" } = legends.Latency ?? {}
  // Latencies are exact to 19 %, and shown in whole milliseconds.
  expect(parseMs(p50)).toBeGreaterThan((truth.p45 ?? 0) * 0.8 - 1)
  expect(parseMs(p50)).toBeLessThan((truth.p55 ?? 0) * 1.25 + 1)
  if (channel !== null) return
  const triggers = legends["Triggers and syncs"] ?? {}
  expect(triggers).toMatchObject({ "covered triggers": format(truth.covered), syncs: format(truth.syncs) })
  expect(Number(triggers["accepted triggers"]?.replace(",", ""))).toBeGreaterThan(50)
}

test("the charts of each range, the dead and the waiting deliveries have the numbers of the rows, under load and faults", async () => {
  await waitUntil("deliveries to be dead", async () => {
    const { dead = 0 } = await one("select count(*)::int as dead from delivery where state = 'dead'")
    return dead > 20
  })
  // Of the faults, enough is counted. A minute is counted half a minute after it ended, so this takes up to 150 s.
  const counted = async () => {
    const { minutes = 0 } = await one(
      "select count(*)::int as minutes from statistic where interval = 'minute' and channel_id = 'hangs'",
    )
    return minutes >= 2
  }
  await waitUntil("two minutes of load to be counted", counted, 300_000)
  for (const range of ["1h", "6h", "24h", "7d", "90d"]) {
    await go(`/?range=${range}`)
    await page.getByText("Counted until").waitFor()
    await expectCharts(null)
  }
  await go("/channels/fails")
  await page.getByText("Counted until").waitFor()
  await expectCharts("fails")

  // Numbers of this moment: the page reads them again while the load goes on.
  clearInterval(load)
  await waitUntil("nothing to be in flight", async () => {
    const { waiting = 1 } = await one(
      "select count(*)::int as waiting from waiting_delivery where channel_id <> 'paused'",
    )
    return waiting === 0
  })
  for (const channel of Object.keys(partners)) {
    const truth = await one(
      `select (select count(*)::int from delivery where channel_id = $1 and state = 'dead') as dead,
              (select count(*)::int from waiting_delivery where channel_id = $1 and deferred_at is not null) as deferred,
              (select count(*)::int from waiting_delivery where channel_id = $1 and next_attempt_at is not null) as retries`,
      channel,
    )
    await go(`/channels/${channel}`)
    await page.getByText("Counted until").waitFor()
    expect(await readFigure(page, "Dead"), channel).toBe(format(truth.dead))
    expect(await readFigure(page, "Deferred"), channel).toBe(format(truth.deferred))
    expect(await readFigure(page, "Waiting for a retry"), channel).toBe(format(truth.retries))
    const { data } = await call("GET", `/v1/channels?q=${channel}`)
    expect(data[0].dead.count, channel).toBe(truth.dead)
    await go("/")
    const line = page.getByText(`${format(truth.dead)} deliveries to ${channel} are dead`)
    await poll(() => line.count()).toBe(truth.dead ? 1 : 0)
  }
}, 600_000)
