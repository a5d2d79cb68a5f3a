import type { ConnectionTriggerUrl, Page, Sync } from "@sitewire/contracts"
import { verifySourceRequest } from "@sitewire/signing"
import { closedPort, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Client, createClient } from "../src/api/client.ts"
import type { Received } from "../src/receivers/index.ts"
import { runCommand, runJson } from "./fixtures/runCommand.ts"
import { startSystem } from "./fixtures/startSystem.ts"

const windowMs = 5_000
let system: Awaited<ReturnType<typeof startSystem>>
let client: Client
const requests: { path: string; at: number; headers: Received["headers"] }[] = []
const to = (path: string) => requests.filter((request) => request.path === path)

/** Responses that the tests release. */
const held = new Map<string, () => void>()

beforeAll(async () => {
  system = await startSystem(
    ({ path, headers }, response) => {
      requests.push({ path, at: performance.now(), headers })
      const type = "application/json"
      const respond = () =>
        response.writeHead(200, { ETag: `"${path}"`, "Content-Type": type }).end(`content of ${path}`)
      if (path.includes("slow")) held.set(path, respond)
      else if (path === "/failing") response.writeHead(502).end()
      else respond()
    },
    { SYNC_WINDOW: `${windowMs}ms`, SYNC_DEADLINE: `${windowMs - 1_000}ms` },
    { services: ["gateway", "scheduler"] },
  )
  client = createClient({ api: system.cliEnv.SITEWIRE_API, key: system.cliEnv.SITEWIRE_API_KEY })
})
afterAll(() => system?.stop())

const run = (...args: string[]) => runCommand(args, { env: system.cliEnv })
const json = <T>(...args: string[]) => runJson<T>(args, { env: system.cliEnv })

function create(id: string, path: string): Promise<ConnectionTriggerUrl> {
  return client.createConnection({
    body: { id, site: `${id}.example`, source: `${system.partner.url}${path}` },
  })
}

async function snapshot(id: string): Promise<string | null> {
  const response = await client.readSnapshot({ id }).catch(() => null)
  return response && (await response.text())
}

const lastOutcome = async (id: string) => (await client.readConnection({ id })).last_outcome
const call = async (url: string) => (await fetch(url, { method: "POST" })).status

test("a triggered connection is synchronised, and its snapshot equals the source byte for byte", async () => {
  const created = await run(
    ...`connection create --id bakery --site bakery.example --source ${system.partner.url}/data`.split(" "),
  )
  expect(created.stdout).toMatch(/^trigger url: +http:.*\/connectors\/hook\/bakery\/swt_/m)
  const shown = await run("connection", "show", "bakery")
  expect(shown.stdout).not.toContain("swt_")
  const list = await run("connection", "list")
  expect(list.stdout).toMatch(/^bakery +idle/m)
  expect((await run("connection", "show", "bakery", "--trigger-url")).stdout).toContain("swt_")

  const once = await run("trigger", "bakery")
  expect(once).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 +202 +.*accepted/m) })
  const burst = await run("trigger", "bakery", "--times", "30")
  expect(burst.stdout).toMatch(/… and 10 more\n\n30 × 202; durations: min /)

  const sync = await waitUntil("the sync", async () => {
    const { data } = await json<Page<Sync>>("sync", "list", "bakery")
    return data.find(({ outcome }) => outcome === "changed")
  })
  const syncs = await run("sync", "list", "bakery")
  expect(syncs.stdout).toMatch(/changed/)
  expect(sync.bytes).toBe("content of /data".length)
  const snapshot = await run("connection", "show-snapshot", "bakery")
  expect(snapshot).toMatchObject({ code: 0, stdout: "content of /data" })
  expect(snapshot.stderr).toContain("application/json")
  const ofSync = (fence: string) => run("connection", "show-snapshot", "bakery", "--fence", fence)
  expect(await ofSync(String(sync.fence))).toMatchObject({ code: 0, stdout: "content of /data" })
  const replaced = await ofSync("99")
  expect(replaced.code).not.toBe(0)
  expect(replaced.stderr).toContain("The content of sync 99")
})

test("a trigger URLwith a replaced token is reported as such, and no output quotes it", async () => {
  const connect = `connection create --id replaced --site b.example --source ${system.partner.url}`.split(" ")
  const { trigger_url: address } = await json<{ trigger_url: string }>(...connect)
  const fromStdin = () =>
    runCommand(["trigger", "--url-stdin"], { input: `${address}\n`, env: system.cliEnv })
  expect(await fromStdin()).toMatchObject({ code: 0, stdout: expect.stringContaining("202") })
  const { trigger_url: newAddress } = await json<{ trigger_url: string }>(
    "connection",
    "replace-token",
    "replaced",
    "--yes",
  )
  expect(newAddress).not.toBe(address)
  const old = await fromStdin()
  expect(old).toMatchObject({ code: 1, stdout: expect.stringMatching(/404 .*its token was replaced/) })
  const unreachable = await runCommand(["trigger", "--url-stdin"], {
    input: address.replace(/:\d+\//, `:${await closedPort()}/`),
  })
  expect(unreachable).toMatchObject({
    code: 3,
    stderr: expect.stringContaining("the connection was refused"),
  })
  for (const { stdout, stderr } of [old, unreachable]) expect(stdout + stderr).not.toContain("swt_")
})

test("a failed sync shows the status of the source's response, in the list of syncs, the windows and the connection", async () => {
  const { trigger_url } = await create("failing", "/failing")
  expect(await call(trigger_url)).toBe(202)
  const reason = "the source responded with 502 Bad Gateway"
  const connection = await waitUntil("the sync", async () => {
    const read = await client.readConnection({ id: "failing" })
    return read.state === "failing" && read
  })
  expect(connection).toMatchObject({ last_error: "status", last_status: 502, last_reason: reason })
  const { data } = await json<Page<Sync>>("sync", "list", "failing")
  expect(data[0]).toMatchObject({ outcome: "failed", error: "status", status: 502, reason })
  for (const command of ["sync list", "connection windows", "connection show"])
    expect((await run(...command.split(" "), "failing")).stdout).toContain(reason)
  const nextStep = "Ask the partner when its server works again."
  expect(connection.next_step).toBe(nextStep)
  expect((await run("connection", "show", "failing")).stdout).toMatch(new RegExp(`next step: +${nextStep}`))
})

test("request headers are read from variables, sent to the source, replaced and removed, and never printed", async () => {
  const env = { ...system.cliEnv, PARTNER_TOKEN: "Bearer marked-1", NEXT_TOKEN: "Bearer marked-2" }
  const printed: string[] = []
  const runWith = async (command: string) => {
    const { code, stdout, stderr } = await runCommand(command.split(" "), { env })
    printed.push(stdout, stderr)
    return { code, stdout }
  }
  const sent = async (count: number) => {
    await waitUntil("the sync", () => to("/guarded").length === count)
    return to("/guarded")[count - 1]?.headers.authorization
  }
  const create = `connection create --id guarded --site g.example --source ${system.partner.url}/guarded`
  const created = await runWith(`${create} --header-env Authorization=PARTNER_TOKEN`)
  expect(created.stdout).toMatch(/^request headers: +authorization$/m)
  await runWith("connection sync guarded")
  expect(await sent(1)).toBe("Bearer marked-1")
  await runWith("connection update guarded --header-env Authorization=NEXT_TOKEN")
  expect(await sent(2)).toBe("Bearer marked-2")
  await runWith("connection update guarded --remove-headers")
  expect(await sent(3)).toBeUndefined()
  const channel = `channel create --id guarded --address ${system.partner.url}/gateway`
  const guarded = await runWith(`${channel} --header-env Authorization=PARTNER_TOKEN`)
  expect(guarded.stdout).toMatch(/^request headers: +authorization$/m)
  const removed = await runWith("channel update guarded --remove-headers --json")
  expect(JSON.parse(removed.stdout).request_header_names).toEqual([])
  expect((await runWith("channel update guarded --remove-headers --header-env A=NEXT_TOKEN")).code).toBe(2)
  expect((await runWith("connection update guarded --header-env Authorization")).code).toBe(2)
  expect((await runWith("connection update guarded --header-env Authorization=Bearer:x")).code).toBe(2)
  expect(printed.join("") + system.log()).not.toMatch(/marked|Bearer/)
})

test("requests are signed with the secret that was printed last, and no other output or log has it", async () => {
  const source = `${system.partner.url}/signed`
  const created = await run(..."connection create --id signed --site s.example --source".split(" "), source)
  const secretOf = ({ stdout }: { stdout: string }) => /^signing secret: +(sws_\S+)$/m.exec(stdout)?.[1] ?? ""
  const first = secretOf(created)
  const verify = (count: number, secret: string) =>
    verifySourceRequest("GET", source, to("/signed")[count - 1]?.headers ?? {}, [secret])
  await run("connection", "sync", "signed")
  await waitUntil("the first sync", () => to("/signed").length === 1)
  const next = secretOf(await run("connection", "replace-secret", "signed", "--yes"))
  await verify(1, first)
  await run("connection", "sync", "signed")
  await waitUntil("the second sync", () => to("/signed").length === 2)
  await verify(2, next)
  await expect(verify(2, first)).rejects.toMatchObject({ fault: "mismatch" })
  expect((await run("connection", "show", "signed")).stdout + system.log()).not.toContain("sws_")
})

// These wait for windows, so they run at the same time.
test.concurrent("requested syncs obey the window, merge with triggers, and are listed with what they covered", async () => {
  const { trigger_url } = await create("now", "/now")
  const requested = await run("connection", "sync", "now")
  expect(requested).toMatchObject({ code: 0, stdout: expect.stringContaining("Earliest start: ") })
  await waitUntil("the first sync", async () => (await lastOutcome("now")) === "changed")
  expect(await call(trigger_url)).toBe(202)
  const { window_ends_at } = await client.readConnection({ id: "now" })
  expect(await client.requestSync({ id: "now" })).toEqual({
    connection: "now",
    earliest_start_at: window_ends_at,
  })
  await client.requestSync({ id: "now" })
  await waitUntil("the trigger to be recorded", async () => {
    return (await client.listWindows({ id: "now" })).pending?.triggers.count === 3
  })
  await waitUntil("the second sync", async () => (await lastOutcome("now")) === "unchanged")
  const windows = await client.listWindows({ id: "now" })
  expect(windows).toMatchObject({
    data: [
      { triggers: { count: 3 }, covered: true, sync: { fence: 2, outcome: "unchanged" } },
      { triggers: { count: 1 }, covered: true, sync: { fence: 1, outcome: "changed" } },
    ],
    pending: null,
  })
  // By Postgres's clock: on a busy machine, the source may handle the first request late.
  const [second = 0, first = 0] = windows.data.map(({ sync }) => Date.parse(sync.started_at))
  expect(second - first).toBeGreaterThanOrEqual(windowMs)
  expect(to("/now")).toHaveLength(2)
  const listed = await run("connection", "windows", "now")
  expect(listed.stdout).toMatch(
    /^SYNC +STARTED +OUTCOME +TRIGGERS +COVERED +FIRST TRIGGER +LAST TRIGGER\n +2 .* unchanged +3 +yes .*\n +1 /,
  )
  const shown = await run("connection", "show", "now")
  expect(shown.stdout).toMatch(/last sync: .*\nlast outcome: unchanged\nlast success: .*\nwindow ends: /)
})

test.concurrent("a source that is changed during a sync: the old content is not stored, the new one is, in the next window", async () => {
  await create("moved", "/slow-old")
  await client.requestSync({ id: "moved" })
  const release = await waitUntil("the old source to be called", () => held.get("/slow-old"))
  await client.changeConnection({ id: "moved", body: { source: `${system.partner.url}/new` } })
  release()
  await waitUntil("the new content", async () => (await snapshot("moved")) === "content of /new")
  const { data } = await client.listWindows({ id: "moved" })
  expect(data.map(({ sync }) => [sync.outcome, sync.error])).toEqual([
    ["changed", null],
    ["abandoned", "source-changed"],
  ])
  const [newAt = 0, oldAt = 0] = data.map(({ sync }) => Date.parse(sync.started_at))
  expect(newAt - oldAt).toBeGreaterThanOrEqual(windowMs)
})

test.concurrent("the new source of a connection is not asked whether the old source's content is unchanged", async () => {
  await create("updated", "/first")
  await client.requestSync({ id: "updated" })
  await waitUntil("the first content", async () => (await snapshot("updated")) === "content of /first")
  const updated = await run("connection", "update", "updated", "--source", `${system.partner.url}/second`)
  expect(updated).toMatchObject({ code: 0, stderr: expect.stringContaining("from before the change") })
  await waitUntil("the second source", async () => (await snapshot("updated")) === "content of /second")
  expect(to("/second")[0]?.headers["if-none-match"]).toBeUndefined()
  expect(await run("connection", "update", "updated")).toMatchObject({ code: 2 })
})

test.concurrent("a connection that is deleted during a sync: its URL is 404 at once, and nothing of it comes back", async () => {
  const { trigger_url } = await create("gone", "/slow-gone")
  expect(await call(trigger_url)).toBe(202)
  const release = await waitUntil("the source to be called", () => held.get("/slow-gone"))
  expect(await call(trigger_url)).toBe(202)
  await client.deleteConnection({ id: "gone" })
  expect(await call(trigger_url)).toBe(404)

  // A new connection with the same id: results of the old one do not reach it.
  const again = await create("gone", "/again")
  expect(await call(trigger_url)).toBe(404)
  await client.requestSync({ id: "gone" })
  await waitUntil("its sync", async () => (await snapshot("gone")) === "content of /again")
  release()
  await waitUntil("the old result to be discarded", () => /result of a sync was discarded/.test(system.log()))
  expect(await snapshot("gone")).toBe("content of /again")
  expect(await call(again.trigger_url)).toBe(202)

  const unconfirmed = await run("connection", "delete", "gone")
  expect(unconfirmed).toMatchObject({ code: 2, stderr: expect.stringContaining("--yes") })
  expect(await call(again.trigger_url)).toBe(202)
  const deleted = await run("connection", "delete", "gone", "--yes")
  expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining("is deleted") })
  expect(await call(again.trigger_url)).toBe(404)
})
