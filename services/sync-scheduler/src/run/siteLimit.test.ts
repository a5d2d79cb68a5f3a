import { gzipSync } from "node:zlib"
import { createEgress } from "@sitewire/egress"
import { finishRuns, type GrantedRun, recordTriggers, storeChunk } from "@sitewire/syncs"
import {
  addConnections,
  claimAll,
  claimOne,
  emptyDatabase,
  endOf,
  letTimePass,
  minute,
  sealingKeys,
  trigger,
} from "@sitewire/syncs/fixtures/windows"
import { expect, onTestFinished, test } from "vitest"
import { startSource } from "../../test/fixtures/source.ts"
import { createPullRunner } from "./pullRunner.ts"
import { createOpenCredentials } from "./runner.ts"
import { hostOutcome } from "./runSync.ts"

const openCredentials = createOpenCredentials(sealingKeys)

const mebibyte = 1024 * 1024
const siteMaxBytes = 8 * mebibyte
const zeros = (mebibytes: number) => gzipSync(Buffer.alloc(mebibytes * mebibyte))

/** Connections of one site, whose source responds with `body`. */
async function setUp(connections: string[]) {
  const content = { body: zeros(1) }
  const source = await startSource((response) =>
    response.writeHead(200, { "content-encoding": "gzip" }).end(content.body),
  )
  const { sql } = await emptyDatabase(8)
  await addConnections(sql, connections, (id) => source.url(`/${id}`))
  const egress = createEgress({
    allow: ["127.0.0.0/8"],
    allowHttp: true,
    userAgent: "Sitewire/1",
    connectionsPerOrigin: 8,
  })
  onTestFinished(() => egress.close())
  const pull = createPullRunner({
    egress,
    openCredentials,
    storeChunk: (chunk) => storeChunk(sql, chunk, siteMaxBytes),
    deadlineMs: 60_000,
    maxBytes: 50 * mebibyte,
    serviceName: "Sitewire",
  })
  async function grant(connection: string) {
    await recordTriggers(sql, minute, [trigger(connection)])
    await letTimePass(sql, 120_000)
    return await claimOne(sql)
  }
  const download = async (run: GrantedRun) =>
    (await pull(run, () => true, new AbortController().signal)).result
  async function sync(connection: string) {
    const run = await grant(connection)
    const result = await download(run)
    await finishRuns(sql, minute, [endOf(run, result)])
    return result
  }
  async function storedBytes(): Promise<number> {
    const [row] = await sql<{ bytes: number }>(
      "select coalesce(sum(octet_length(data)), 0)::int as bytes from snapshot_chunk",
    )
    return row?.bytes ?? 0
  }
  return { sql, content, grant, download, sync, storedBytes }
}

test("a small response that decodes to more than its site may store fails, and the content before it stays", async () => {
  const { sql, content, sync, storedBytes } = await setUp(["a"])
  expect(await sync("a")).toMatchObject({ outcome: "changed" })
  content.body = zeros(40)
  expect(content.body.length).toBeLessThan(mebibyte)
  const result = await sync("a")
  expect(result).toMatchObject({ outcome: "failed", error: "site-full" })
  // The source responded, so other connections of its host are not slowed down.
  expect(hostOutcome(result)).toBe("success")
  expect(await storedBytes()).toBe(mebibyte)
  expect(await sql("select bytes::int, fence::int from snapshot")).toEqual([{ bytes: mebibyte, fence: 1 }])
  const windows = await sql("select last_error, covered < requested as waits from sync_window")
  expect(windows).toEqual([{ last_error: "site-full", waits: true }])
  content.body = zeros(2)
  expect(await sync("a")).toMatchObject({ outcome: "changed" })
})

test("syncs of a site at the same time store no more than their site may, and those of other sites are not limited by it", async () => {
  const connections = ["a", "b", "c", "d"]
  const { sql, content, download, storedBytes } = await setUp([...connections, "other"])
  await sql("update connection set site = 'other.example' where id = 'other'")
  content.body = zeros(5)
  await recordTriggers(
    sql,
    minute,
    [...connections, "other"].map((id) => trigger(id)),
  )
  await letTimePass(sql, 10_000)
  const { runs } = await claimAll(sql)
  const ended = await Promise.all(
    runs.map(async (run) => ({ connection: run.connection, result: await download(run) })),
  )
  const full = ended.filter(({ result }) => "error" in result && result.error === "site-full")
  expect(full.length).toBeGreaterThanOrEqual(connections.length - 1)
  expect(full.map(({ connection }) => connection)).not.toContain("other")
  expect(ended.find(({ connection }) => connection === "other")).toMatchObject({
    result: { outcome: "changed" },
  })
  // Each of the four may have stored a chunk that the others did not see.
  const chunk = 256 * 1024
  expect(await storedBytes()).toBeLessThanOrEqual(siteMaxBytes + connections.length * chunk + 5 * mebibyte)
})

test("what syncs have stored whose source was changed meanwhile counts, until the end of the connection's next sync", async () => {
  const { sql, content, grant, download, sync, storedBytes } = await setUp(["a"])
  content.body = zeros(5)
  await download(await grant("a"))
  // A change of the source discards the sync, and leaves its chunks.
  await sql("update sync_window set running = false, grant_id = null")
  expect(await storedBytes()).toBe(5 * mebibyte)
  expect(await sync("a")).toMatchObject({ error: "site-full" })
  expect(await storedBytes()).toBe(0)
  expect(await sync("a")).toMatchObject({ outcome: "changed" })
})
