import { once } from "node:events"
import { get, type IncomingMessage } from "node:http"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { KafkaUnavailable } from "../kafka/publisher.ts"
import { limitExpensive } from "./limitExpensive.ts"

/** Lets statements of the console that read the table wait. */
async function lockTable({ pool }: TestConsole, table: string) {
  const client = await pool.driver.connect()
  await client.query("begin")
  await client.query(`lock table ${table} in access exclusive mode`)
  return {
    async waiting() {
      const { rows } = await client.query(
        "select from pg_stat_activity where application_name = 'console-under-test' and wait_event_type = 'Lock' and datname = current_database()",
      )
      return rows.length
    },
    async unlock() {
      await client.query("rollback")
      client.release()
    },
  }
}

test("a key whose reads take long has one of them at a time, and leaves connections to Postgres to others", async () => {
  const console = await startConsole()
  onTestFinished(() => console.close())
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://partner.example/" } })
  const key = await console.keyWith("channel:acme")
  const { waiting, unlock } = await lockTable(console, "delivery")
  const paths = ["/v1/channels/acme/health", "/v1/deliveries", "/v1/deliveries?state=dead"]
  const calls = Array.from({ length: 30 }, (_, n) => console.call("GET", paths[n % 3] ?? "", { key }))
  const rejected = await Promise.race(calls)
  expect(rejected).toMatchObject({ status: 429, json: { code: "too-many-requests" } })
  expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0)
  await waitUntil("the first read", async () => (await waiting()) === 1)
  // An operator's requests get the other connection of the pool.
  for (const path of ["/v1/channels/acme", "/v1/jobs", "/v1/keys"])
    expect((await console.call("GET", path)).status, path).toBe(200)
  expect(await waiting()).toBe(1)
  await unlock()
  const statuses = (await Promise.all(calls)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(21)
  expect(statuses.filter((status) => status === 429)).toHaveLength(9)
})

test("while a list waits for Kafka, the same key's lists of Postgres respond", async () => {
  const outage = Promise.withResolvers<never>()
  const wait = () => outage.promise
  const console = await startConsole({ invalidTopic: { end: wait, read: wait } })
  onTestFinished(() => console.close())
  const waiting = ["/v1/invalid-events", "/v1/invalid-events"].map((path) => console.call("GET", path))
  for (const path of ["/v1/deliveries", "/v1/channels", "/v1/connections"])
    expect((await console.call("GET", path)).status, path).toBe(200)
  outage.reject(new KafkaUnavailable("an outage"))
  expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([503, 503])
})

test("ten downloads by one site's key use one connection to Postgres", async () => {
  const console = await startConsole()
  onTestFinished(() => console.close())
  const source = "https://source.example/"
  await console.call("POST", "/v1/connections", { body: { id: "a", site: "shop.example", source } })
  const [chunks, chunkBytes] = [64, 256 * 1024]
  await console.pool.sql(
    `with content as (insert into snapshot (connection_id, fence, content_sha256, bytes) values ('a', 1, '', ${chunks * chunkBytes}))
     insert into snapshot_chunk (connection_id, fence, position, data)
     select 'a', 1, n, convert_to(repeat('x', ${chunkBytes}), 'UTF8') from generate_series(1, ${chunks}) n`,
  )
  const headers = { authorization: `Bearer ${await console.keyWith("site:shop.example")}` }
  // Each has further chunks to read, because the sockets cannot contain all.
  const downloads = await Promise.all(
    Array.from({ length: 10 }, async () => {
      const request = get(`${console.origin}/v1/connections/a/snapshot`, { headers })
      return (await once(request, "response"))[0] as IncomingMessage
    }),
  )
  const { waiting, unlock } = await lockTable(console, "snapshot_chunk")
  const sizes = downloads.map(async (download) => {
    let bytes = 0
    for await (const chunk of download) bytes += chunk.length
    return bytes
  })
  await waitUntil("the first read", async () => (await waiting()) > 0)
  let listed = 0
  void console.call("GET", "/v1/jobs").then(({ status }) => {
    listed = status
  })
  await waitUntil("the list, or a second read", async () => listed > 0 || (await waiting()) > 1)
  const found = { listed, reading: await waiting() }
  await unlock()
  expect(found).toEqual({ listed: 200, reading: 1 })
  for (const download of downloads.slice(1)) download.destroy()
  const [first] = await Promise.allSettled(sizes)
  expect(first).toEqual({ status: "fulfilled", value: chunks * chunkBytes })
})

test("all keys together have a limit, and take turns in the order of their requests", async () => {
  const { run } = limitExpensive(2)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const begin = (key: string, name: string) =>
    run(key, async () => {
      started.push(name)
      await new Promise<void>((resolve) => ends.set(name, resolve))
      return name
    })
  const all = [begin("a", "a1"), begin("a", "a2"), begin("b", "b1"), begin("c", "c1")]
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  await settle()
  expect(started).toEqual(["a1", "b1"])
  ends.get("a1")?.()
  await settle()
  expect(started).toEqual(["a1", "b1", "c1"])
  ends.get("b1")?.()
  await settle()
  expect(started).toEqual(["a1", "b1", "c1", "a2"])
  for (const end of ends.values()) end()
  expect(await Promise.all(all)).toEqual(["a1", "a2", "b1", "c1"])
})

test("a request that fails lets the next one of its key run", async () => {
  const { run } = limitExpensive(1)
  const failing = run("a", () => Promise.reject(new Error("broken")))
  const next = run("a", async () => "done")
  await expect(failing).rejects.toThrow("broken")
  expect(await next).toBe("done")
})
