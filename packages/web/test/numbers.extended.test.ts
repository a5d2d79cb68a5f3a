import { startReceiver } from "@sitewire/cli/receivers"
import type { WindowPage } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import type { Browser, Page } from "playwright-core"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runCli } from "../../cli/test/fixtures/runCli.ts"
import { startSystem } from "../../cli/test/fixtures/startSystem.ts"
import { openBrowser, openPage, visit } from "./fixtures/browser.ts"
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
/** Between when each trigger was accepted that got a 202, by connection. Unix times in ms. */
const accepted = {
  works: [] as { from: number; to: number }[],
  fails: [] as { from: number; to: number }[],
}
const calls = new Set<Promise<void>>()

beforeAll(async () => {
  if (!chromium) return
  browser = await openBrowser()
  system = await startSystem(
    ({ path }, response) => void response.writeHead(path === "/works" ? 200 : 503).end('{"products":[]}'),
    {
      CONSOLE_WEB_FOLDER: await buildPage(),
      RETRY_PERIOD: "10s",
      DELIVERY_TIMEOUT: "2s",
      BREAKER_COOLDOWN: "1s",
    },
    { retryDelaysMs: [2_000, 5_000], console: { countMarginMs: 15_000 } },
  )
  for (const [id, { url }] of Object.entries(partners))
    await call("POST", "/v1/channels", { id, address: `${url}/sitewire` })
  await call("POST", "/v1/channels/paused/pause")
  const urls = new Map<keyof typeof accepted, string>()
  for (const id of ["works", "fails"] as const) {
    const source = `${system.partner.url}/${id}`
    const { trigger_url } = await call("POST", "/v1/connections", { id, site: "bakery.example", source })
    urls.set(id, trigger_url)
  }
  let count = 0
  load = setInterval(() => {
    count += 1
    for (const channel of Object.keys(partners)) void publish(`evt_${channel}_${count}`, channel)
    for (const [id, url] of urls) trigger(id, url)
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

function trigger(id: keyof typeof accepted, url: string): void {
  const from = Date.now()
  const call = fetch(url, { method: "POST" })
    .then(({ status }) => {
      if (status === 202) accepted[id].push({ from, to: Date.now() })
    })
    .catch(() => {})
    .finally(() => calls.delete(call))
  calls.add(call)
}

/** Ends the load, and waits until its triggers are recorded and nothing but the paused channel has deliveries that wait. */
async function endLoad(): Promise<void> {
  clearInterval(load)
  await Promise.all(calls)
  const all = accepted.works.length + accepted.fails.length
  await waitUntil("all triggers to be recorded, and no delivery to wait for an attempt", async () => {
    const { requested, waiting } = await one(
      `select (select sum(requested)::int from sync_window) as requested,
              (select count(*)::int from waiting_delivery where channel_id <> 'paused') as waiting`,
    )
    // A trigger that got 503 may have been recorded, too.
    return Number(requested) >= all && waiting === 0
  })
}

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

const counts = `
select (select count(*)::int from delivery where stored_at < $1) as created,
       (select count(*)::int from attempt where started_at < $1 and error is not null) as failed,
       (select count(*)::int from attempt where started_at < $1) as attempts,
       (select count(*)::int from attempt where started_at < $1 and error is null) as delivered,
       (select percentile_disc(0.45) within group (order by duration_ms) from attempt where started_at < $1) as p45,
       (select percentile_disc(0.55) within group (order by duration_ms) from attempt where started_at < $1) as p55,
       (select coalesce(sum(triggers), 0)::int from sync_run
         where started_at < $1 and outcome in ('changed', 'unchanged')) as covered,
       (select count(*)::int from sync_run where started_at < $1) as syncs,
       (select count(*)::int from sync_run where started_at < $1 and outcome = 'failed') as failed_syncs`

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

async function expectCharts(): Promise<void> {
  const { until, legends } = await readCharts()
  const truth = await one(counts, until)
  expect(truth.created).toBeGreaterThan(50)
  expect(legends.Deliveries).toEqual({
    created: format(truth.created),
    "failed attempts": format(truth.failed),
  })
  const { p50 = "" } = legends.Latency ?? {}
  // Latencies are exact to 19 %, and shown in whole milliseconds.
  expect(parseMs(p50)).toBeGreaterThan((truth.p45 ?? 0) * 0.8 - 1)
  expect(parseMs(p50)).toBeLessThan((truth.p55 ?? 0) * 1.25 + 1)
  const triggers = legends["Triggers and syncs"] ?? {}
  expect(triggers).toMatchObject({ "covered triggers": format(truth.covered), syncs: format(truth.syncs) })
  expect(Number(triggers["accepted triggers"]?.replace(",", ""))).toBeGreaterThan(50)
}

/** `until`: when a minute has ended. */
async function expectStatisticsOfCli(until: Date): Promise<void> {
  const truth = await one(counts, until)
  const { stdout } = await cli("statistics", "show", "--before", until.toISOString())
  const [head = "", ...lines] = stdout.split("\n")
  const total = lines.find((line) => line.startsWith("total")) ?? ""
  const cell = (title: string) =>
    total
      .slice(0, head.indexOf(title) + title.length)
      .split(/\s+/)
      .at(-1)
  expect({
    deliveries: cell("DELIVERIES"),
    delivered: cell("DELIVERED"),
    covered: cell("COVERED"),
    syncs: cell(" SYNCS"),
    failedSyncs: cell("FAILED SYNCS"),
  }).toEqual({
    deliveries: `${truth.created}`,
    delivered: `${truth.delivered}`,
    covered: `${truth.covered}`,
    syncs: `${truth.syncs}`,
    failedSyncs: `${truth.failed_syncs}`,
  })
}

/** Until a minute is counted again, it may lack an attempt that was recorded late. */
const eventually = (what: string, check: () => Promise<void>) =>
  waitUntil(what, async () => {
    await check()
    return true
  })

const cli = (...args: string[]) => runCli(args, { env: system.cliEnv })

test("the charts of each range, and the statistics of the CLI, have the numbers of the rows, under load and faults", async () => {
  // The first minute ends up to 60 s after the load has begun, and may be too short.
  const isCounted = async () => {
    const { created, failed } = await one(
      `select coalesce(sum(deliveries) filter (where channel_id = ''), 0)::int as created,
              coalesce(sum((attempts ->> 'timeout')::int) filter (where channel_id = 'hangs'), 0)::int as failed
         from statistic`,
    )
    return (created ?? 0) > 50 && (failed ?? 0) > 5
  }
  await waitUntil("enough load and faults to be counted", isCounted, 180_000)
  for (const range of ["1h", "24h"]) {
    await go(`/?range=${range}`)
    await page.getByText("Counted until").waitFor()
    await eventually(`the numbers of the range ${range}`, () => expectCharts())
  }
  const [position] = await system.installation.sql<{ until: Date }>(
    "select counted_through as until from statistics_position",
  )
  if (!position) throw new Error("nothing is counted")
  await eventually("the numbers of the CLI", () => expectStatisticsOfCli(position.until))
}, 300_000)

test("what is dead and what waits is the same in the pages, the API, the CLI and the rows", async () => {
  await endLoad()
  for (const channel of Object.keys(partners)) {
    const truth = await one(
      `select (select count(*)::int from delivery where channel_id = $1 and state = 'dead') as dead,
              (select count(*)::int from waiting_delivery where channel_id = $1 and deferred_at is not null) as deferred,
              (select count(*)::int from waiting_delivery where channel_id = $1 and next_attempt_at is not null) as retries`,
      channel,
    )
    await go(`/channels/${channel}`)
    expect(await readFigure(page, "Dead"), channel).toBe(format(truth.dead))
    expect(await readFigure(page, "Deferred"), channel).toBe(format(truth.deferred))
    expect(await readFigure(page, "Waiting for a retry"), channel).toBe(format(truth.retries))
    const { data } = await call("GET", `/v1/channels?q=${channel}`)
    expect(data[0].dead.count, channel).toBe(truth.dead)
    const { stdout: health } = await cli("channel", "health", channel)
    const shown = (entry: string) => Number(new RegExp(`^${entry}: +(\\d+)`, "m").exec(health)?.[1] ?? 0)
    expect(shown("dead"), channel).toBe(truth.dead)
    expect(shown("deferred, paused"), channel).toBe(truth.deferred)
    expect(shown("scheduled retries"), channel).toBe(truth.retries)
    await go("/")
    const line = page.getByRole("listitem").filter({ hasText: `the channel ${channel} ` })
    const dead = line.filter({ hasText: `${format(truth.dead)} deliveries` }).filter({ hasText: "are dead." })
    await poll(() => dead.count()).toBe(truth.dead ? 1 : 0)
  }
  const { dead = 0 } = await one("select count(*)::int as dead from delivery where state = 'dead'")
  expect(dead).toBeGreaterThan(20)
})

/** The values of a metric that are not 0, by a label; by "" without one. */
async function readMetric(service: "gateway" | "dispatcher" | "scheduler", name: string, label?: string) {
  const ops = system.processes.get(service)?.addresses.ops
  const text = await (await fetch(`${ops}/metrics`)).text()
  const values = [...text.matchAll(new RegExp(`^${name}\\{(.*)\\} (\\S+)$`, "gm"))]
  return Object.fromEntries(
    values.flatMap(([, labels = "", value]) => {
      const [, of = ""] = label === undefined ? [] : (new RegExp(`${label}="(.*?)"`).exec(labels) ?? [])
      return Number(value) === 0 ? [] : [[of, Number(value)]]
    }),
  )
}

/** Numbers by name. */
async function read(statement: string): Promise<Record<string, number>> {
  const rows = await system.installation.sql<{ name: string; n: number }>(statement)
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]))
}

test("the metrics of each service have the numbers of the rows", async () => {
  await endLoad()
  await poll(() => readMetric("dispatcher", "sitewire_attempts_total", "outcome")).toEqual(
    await read("select coalesce(error, 'delivered') as name, count(*)::int as n from attempt group by 1"),
  )
  await poll(() => readMetric("dispatcher", "sitewire_site_paid_total", "outcome")).toEqual(
    await read("select 'accepted' as name, count(*)::int as n from delivery"),
  )
  await poll(() => readMetric("dispatcher", "sitewire_deliveries_dead_total")).toEqual(
    await read("select '' as name, count(*)::int as n from delivery where state = 'dead'"),
  )
  await poll(() => readMetric("dispatcher", "sitewire_deferred_deliveries", "reason")).toEqual(
    await read(
      "select deferred_reason::text as name, count(*)::int as n from waiting_delivery where deferred_at is not null group by 1",
    ),
  )
  const triggers = await read("select 'accepted' as name, sum(requested)::int as n from sync_window")
  expect(await readMetric("gateway", "sitewire_triggers_total", "outcome")).toEqual(triggers)
  await poll(() => readMetric("scheduler", "sitewire_triggers_ingested_total")).toEqual({
    "": triggers.accepted,
  })
  // A sync that ends between the two is in one of them only.
  await poll(async () => {
    const counted = await readMetric("scheduler", "sitewire_syncs_total", "outcome")
    const rows = await read("select outcome::text as name, count(*)::int as n from sync_run group by 1")
    return { isEqual: JSON.stringify(sorted(counted)) === JSON.stringify(sorted(rows)), counted, rows }
  }).toMatchObject({ isEqual: true, rows: { changed: 1, failed: expect.any(Number) } })
})

const sorted = (numbers: Record<string, number>) => Object.entries(numbers).toSorted()

test.each(["works", "fails"] as const)(
  "each call that got a 202 is in a sync of the connection's page, or waits for the next one: the source %s",
  async (id) => {
    await endLoad()
    const calls = accepted[id]
    expect(calls.length).toBeGreaterThan(50)
    await go(`/connections/${id}`)
    const list = page.getByRole("list", { name: "Triggers and syncs" })
    await list.waitFor()
    const sentences = (await list.locator("p").allTextContents()).join("\n")
    const numbers = [...sentences.matchAll(/It cover\w+ (\d+) trigger|(\d+) triggers? waits? for it/g)]
    const shown = numbers.reduce((sum, [, covered, pending]) => sum + Number(covered ?? pending), 0)
    expect(shown).toBe(calls.length)

    const { stdout } = await cli("connection", "windows", id, "--all", "--json")
    const { data, pending }: WindowPage = JSON.parse(stdout)
    const holding = [
      ...data.filter(({ covered, sync }) => covered || sync.outcome === "running"),
      ...(pending ? [pending] : []),
    ].map(({ triggers }) => triggers)
    expect(holding.reduce((sum, { count }) => sum + count, 0)).toBe(calls.length)
    const spans = holding.map(({ first_at, last_at }) =>
      [first_at, last_at].map((at) => Date.parse(at ?? "")),
    )
    const outside = calls.filter(
      ({ from, to }) => !spans.some(([first = 0, last = 0]) => first <= to && from <= last),
    )
    expect(outside).toEqual([])
    if (id === "fails") expect(await list.textContent()).toContain("responded with 503 Service Unavailable")
  },
)
