import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

type Body = Record<string, unknown>
const oldSource = "https://api.partner.example/items?key=old-credential"
const newSource = "https://api.partner.example/v2?key=new-credential"

async function make(id: string, more: Body = {}): Promise<void> {
  const body = { id, site: "shop.example", source: oldSource, ...more }
  const made = await console.call("POST", "/v1/connections", { body })
  expect(made.status).toBe(201)
}

const setWindow = (id: string, data: object) =>
  console.prisma.syncWindow.update({ where: { connection_id: id }, data })
const readWindow = (id: string) =>
  console.prisma.syncWindow.findUniqueOrThrow({ where: { connection_id: id } })
const startOf = (fence: number) => new Date(fence * 60_000)
const addRun = (
  connection_id: string,
  fence: number,
  more: Partial<Parameters<typeof console.prisma.syncRun.create>[0]["data"]> = {},
) =>
  console.prisma.syncRun.create({
    data: {
      ...{ connection_id, fence: BigInt(fence), started_at: startOf(fence), outcome: "changed", triggers: 1 },
      ...more,
    },
  })
const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000)

async function listIds(query: string, key = console.key): Promise<string[]> {
  const { status, json } = await console.call("GET", `/v1/connections?${query}`, { key })
  expect(status).toBe(200)
  return (json.data as { id: string }[]).map(({ id }) => id)
}

async function lastAudit(id: string): Promise<Body> {
  const { json } = await console.call("GET", `/v1/audit?target_kind=connection&target=${id}&limit=1`)
  return (json.data as Body[])[0] ?? {}
}

test("connections are found by site, state and text, page by page, with their last sync in the entry", async () => {
  const site = "found.example"
  for (const id of ["f-idle", "f-waiting", "f-running", "f-failing"]) await make(id, { site })
  await make("f-elsewhere", { site: "elsewhere.example", source: "https://found.example/" })
  const [syncedAt, failing_since] = [new Date("2026-01-01T00:00:00Z"), new Date("2025-12-31T00:00:00Z")]
  await setWindow("f-waiting", { due_at: inSeconds(30), window_ends_at: inSeconds(30) })
  await setWindow("f-running", { running: true, due_at: inSeconds(50) })
  const failed = { last_outcome: "failed", last_synced_at: syncedAt, failing_since, last_error: "timeout" }
  await setWindow("f-failing", { due_at: inSeconds(900), ...failed })
  const bySite = `site=${site}`
  expect(await listIds(bySite)).toEqual(["f-failing", "f-running", "f-waiting", "f-idle"])
  for (const state of ["idle", "waiting", "running", "failing"]) {
    expect(await listIds(`${bySite}&state=${state}`)).toEqual([`f-${state}`])
    const { json } = await console.call("GET", `/v1/connections/f-${state}`)
    expect(json.state).toBe(state)
  }
  const { json } = await console.call("GET", `/v1/connections?${bySite}&state=failing`)
  expect(json.data).toMatchObject([
    {
      last_synced_at: syncedAt.toISOString(),
      last_outcome: "failed",
      last_error: "timeout",
      last_success_at: null,
      failing_since: failing_since.toISOString(),
    },
  ])
  expect(await listIds("q=FOUND.example")).toEqual([
    "f-elsewhere",
    "f-failing",
    "f-running",
    "f-waiting",
    "f-idle",
  ])
  expect(await listIds("q=f-wait")).toEqual(["f-waiting"])
  expect(await listIds("q=f%25")).toEqual([])

  const first = await console.call("GET", `/v1/connections?${bySite}&limit=3`)
  expect(await listIds(`${bySite}&limit=3&cursor=${first.json.next_cursor}`)).toEqual(["f-idle"])
  const owner = await console.keyWith("site:elsewhere.example")
  expect(await listIds(bySite, owner)).toEqual([])
  expect(await listIds("q=found.example", owner)).toEqual(["f-elsewhere"])
  expect((await console.call("GET", "/v1/connections?state=broken")).status).toBe(400)
})

test("a changed source is synced in the next window, and the audit log contains no credentials", async () => {
  await make("moved")
  const window_ends_at = inSeconds(40)
  await setWindow("moved", {
    window_ends_at,
    last_error: "timeout",
    failing_since: inSeconds(-9),
    failures: 2,
  })
  await console.prisma.snapshot.create({
    data: {
      connection_id: "moved",
      fence: 1n,
      content_sha256: new Uint8Array([1]),
      bytes: 1n,
      etag: '"old"',
    },
  })
  const changed = await console.call("PATCH", "/v1/connections/moved", { body: { source: newSource } })
  expect(changed).toMatchObject({
    status: 200,
    json: {
      ...{ source: newSource, runner: "pull", state: "waiting" },
      ...{ next_sync_at: window_ends_at.toISOString(), window_ends_at: window_ends_at.toISOString() },
      ...{ last_error: null, failing_since: null },
    },
  })
  expect(await readWindow("moved")).toMatchObject({ requested: 1n, covered: 0n, source_version: 2 })
  const snapshot = await console.prisma.snapshot.findUniqueOrThrow({ where: { connection_id: "moved" } })
  expect(snapshot).toMatchObject({ etag: null })
  const audit = await lastAudit("moved")
  expect(audit).toMatchObject({
    operation: "changeConnection",
    changes: {
      source: { old: "https://api.partner.example/items?…", new: "https://api.partner.example/v2?…" },
    },
  })
  const everything = await console.prisma.auditEntry.findMany()
  for (const text of [JSON.stringify(everything), ...console.log]) expect(text).not.toMatch(/credential/)

  const same = await console.call("PATCH", "/v1/connections/moved", { body: { source: newSource } })
  expect(same.status).toBe(200)
  expect(await readWindow("moved")).toMatchObject({ requested: 1n, source_version: 2 })
})

test("all spellings of a source's host are stored as one, so that its connections share the limits of a host", async () => {
  const spellings = [
    "https://bücher.example/a",
    "HTTPS://BÜCHER.Example:443/a",
    "https://xn--bcher-kva.example/b/../a",
  ]
  for (const [index, source] of spellings.entries()) {
    await make(`spelt-${index}`, { source })
    await make(`changed-${index}`)
    const changed = await console.call("PATCH", `/v1/connections/changed-${index}`, { body: { source } })
    expect(changed.status).toBe(200)
  }
  const sources = await console.pool.sql(
    `select distinct source, source_host from connection where id like any (array['spelt-%', 'changed-%'])`,
  )
  expect(sources).toEqual([
    { source: "https://xn--bcher-kva.example/a", source_host: "xn--bcher-kva.example" },
  ])
})

test("a sync that is running when the source changes is abandoned, and its triggers wait for the next", async () => {
  await make("busy")
  const [window_ends_at, first_trigger_at] = [inSeconds(60), new Date("2026-01-01T00:00:00Z")]
  const grant_id = "01900000-0000-4000-8000-000000000001"
  const counts = { requested: 3n, claimed: 3n, fence: 7n }
  const run = {
    running: true,
    run_started_at: startOf(7),
    run_triggers: 3,
    run_first_trigger_at: first_trigger_at,
  }
  await setWindow("busy", { ...run, ...counts, grant_id, window_ends_at, due_at: window_ends_at })
  const changed = await console.call("PATCH", "/v1/connections/busy", { body: { source: newSource } })
  expect(changed.json).toMatchObject({ state: "waiting", next_sync_at: window_ends_at.toISOString() })
  expect(await readWindow("busy")).toMatchObject({
    ...{ running: false, grant_id: null, fence: 7n, requested: 4n, covered: 0n, first_trigger_at },
  })
  const { json } = await console.call("GET", "/v1/connections/busy/windows")
  expect(json).toMatchObject({
    data: [{ covered: false, sync: { fence: 7, outcome: "abandoned", error: "source-changed" } }],
    pending: { triggers: { count: 4, first_at: first_trigger_at.toISOString() } },
  })
})

test("a change obeys the rules of a new connection, also if only the runner changes", async () => {
  await make("ruled", { source: "http://10.20.0.9/sync", runner: "delegate" })
  const change = (body: Body) => console.call("PATCH", "/v1/connections/ruled", { body })
  for (const body of [
    { runner: "pull" },
    { source: "http://10.21.0.9/" },
    { source: "ftp://a.example/" },
    { source: " https://a.example/" },
  ]) {
    const rejected = await change(body)
    expect(rejected).toMatchObject({ status: 400, json: { errors: [{ field: "source" }] } })
  }
  for (const body of [{}, { site: "other.example" }, { runner: "push" }])
    expect((await change(body)).status).toBe(400)
  expect(await readWindow("ruled")).toMatchObject({ requested: 0n, source_version: 1 })
  const moved = await change({ runner: "pull", source: newSource })
  expect(moved).toMatchObject({ status: 200, json: { runner: "pull", source: newSource } })
  expect((await lastAudit("ruled")).changes).toMatchObject({ runner: { old: "delegate", new: "pull" } })
})

test("If-Match rejects a change of an outdated connection, and syncs do not make an ETag outdated", async () => {
  await make("tagged")
  const etag = (await console.call("GET", "/v1/connections/tagged")).headers.get("etag") ?? ""
  await setWindow("tagged", { last_synced_at: new Date(), last_outcome: "unchanged" })
  const change = (source: string) =>
    console.call("PATCH", "/v1/connections/tagged", { body: { source }, headers: { "if-match": etag } })
  const first = await change(newSource)
  expect(first.status).toBe(200)
  expect((await console.call("GET", "/v1/connections/tagged")).headers.get("etag")).toBe(
    first.headers.get("etag"),
  )
  expect(await change("https://third.example/")).toMatchObject({
    status: 412,
    json: { code: "changed-meanwhile" },
  })
})

test("a deleted connection leaves no row, and a new one with its id is independent of it", async () => {
  await make("gone")
  await addRun("gone", 1)
  const deleted = await console.call("DELETE", "/v1/connections/gone")
  expect(deleted).toMatchObject({ status: 200, json: { id: "gone", site: "shop.example" } })
  const where = { connection_id: "gone" }
  expect(await console.prisma.syncWindow.count({ where })).toBe(0)
  expect(await console.prisma.syncRun.count({ where })).toBe(0)
  expect((await console.call("GET", "/v1/connections/gone")).status).toBe(404)
  expect((await console.call("DELETE", "/v1/connections/gone")).status).toBe(404)
  expect(await lastAudit("gone")).toMatchObject({
    operation: "deleteConnection",
    changes: { site: { old: "shop.example", new: null }, runner: { old: "pull", new: null } },
  })
  await make("gone")
  expect(await readWindow("gone")).toMatchObject({ fence: 0n, requested: 0n })
})

test("a requested sync is due at once, or when the window ends, and ends the wait of a failing connection", async () => {
  await make("now")
  const request = async () => {
    const { status, json } = await console.call("POST", "/v1/connections/now/sync")
    expect(status).toBe(202)
    return json
  }
  const before = Date.now()
  const { earliest_start_at } = await request()
  expect(Date.parse(String(earliest_start_at)) - before).toBeLessThan(2_000)
  expect(await readWindow("now")).toMatchObject({ requested: 1n, running: false })
  expect((await readWindow("now")).due_at?.getTime()).toBeLessThanOrEqual(Date.now() + 1)

  const window_ends_at = inSeconds(40)
  await setWindow("now", { window_ends_at, due_at: inSeconds(900), failures: 4 })
  expect(await request()).toEqual({ connection: "now", earliest_start_at: window_ends_at.toISOString() })
  expect(await readWindow("now")).toMatchObject({ requested: 2n, due_at: window_ends_at, failures: 0 })

  const leaseEndsAt = inSeconds(70)
  await setWindow("now", { running: true, claimed: 2n, due_at: leaseEndsAt })
  expect(await request()).toMatchObject({ earliest_start_at: window_ends_at.toISOString() })
  expect(await readWindow("now")).toMatchObject({ requested: 3n, due_at: leaseEndsAt })
  expect(await lastAudit("now")).toMatchObject({ operation: "requestSync" })
})

test("a request to sync that is repeated with its Idempotency-Key counts once", async () => {
  await make("once")
  const headers = { "idempotency-key": "sync-once" }
  const first = await console.call("POST", "/v1/connections/once/sync", { headers })
  const second = await console.call("POST", "/v1/connections/once/sync", { headers })
  expect(second.json).toEqual(first.json)
  expect(await readWindow("once")).toMatchObject({ requested: 1n })
})

test("windows show which triggers were merged into which sync, and what is pending", async () => {
  await make("merged")
  const empty = await console.call("GET", "/v1/connections/merged/windows")
  expect(empty.json).toEqual({ data: [], next_cursor: null, pending: null })
  const [first_trigger_at, last_trigger_at] = [new Date(50_000), new Date(58_000)]
  await addRun("merged", 1, { outcome: "changed", triggers: 5, first_trigger_at, last_trigger_at })
  await addRun("merged", 2, { outcome: "failed", error: "timeout", triggers: 2 })
  const pendingAt = new Date(190_000)
  const times = { first_trigger_at: pendingAt, last_trigger_at: pendingAt, window_ends_at: inSeconds(40) }
  const run = { running: true, fence: 3n, run_started_at: startOf(3), run_triggers: 3 }
  await setWindow("merged", { ...times, ...run, requested: 12n, claimed: 8n, covered: 5n })
  const { json } = await console.call("GET", "/v1/connections/merged/windows?limit=2")
  const time = pendingAt.toISOString()
  expect(json).toMatchObject({
    data: [
      { triggers: { count: 3 }, covered: false, sync: { fence: 3, outcome: "running" } },
      { triggers: { count: 2 }, covered: false, sync: { fence: 2, outcome: "failed" } },
    ],
    pending: {
      triggers: { count: 4, first_at: time, last_at: time },
      earliest_start_at: times.window_ends_at.toISOString(),
    },
  })
  const rest = await console.call("GET", `/v1/connections/merged/windows?limit=2&cursor=${json.next_cursor}`)
  const [first_at, last_at] = [first_trigger_at.toISOString(), last_trigger_at.toISOString()]
  expect(rest.json).toMatchObject({
    data: [{ triggers: { count: 5, first_at, last_at }, covered: true, sync: { fence: 1 } }],
    next_cursor: null,
  })
})

test("a site owner changes, syncs and deletes connections of its own site only", async () => {
  await make("own", { site: "own.example" })
  await make("foreign")
  const key = await console.keyWith("site:own.example")
  const reader = await console.keyWith("read")
  const calls = [
    ["PATCH", "", { source: newSource }],
    ["POST", "/sync", undefined],
    ["DELETE", "", undefined],
  ] as const
  for (const [method, path, body] of calls) {
    const call = (id: string, caller: string) =>
      console.call(method, `/v1/connections/${id}${path}`, { key: caller, ...(body ? { body } : {}) })
    expect((await call("foreign", key)).status, method).toBe(404)
    expect((await call("own", reader)).status, method).toBe(403)
    expect((await call("own", key)).status, method).toBeLessThan(300)
  }
  expect(await readWindow("foreign")).toMatchObject({ requested: 0n, source_version: 1 })
})
