import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { startConsole } from "../../test/fixtures/startConsole.ts"
import { KafkaUnavailable } from "../kafka/kafkaUnavailable.ts"
import { limitExpensive } from "./limitExpensive.ts"

test("a key whose reads take long has one of them at a time, and leaves connections to Postgres to others", async () => {
  const console = await startConsole()
  onTestFinished(() => console.close())
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://partner.example/" } })
  const key = await console.keyWith("channel:acme")
  const hanging = await console.pool.driver.connect()
  await hanging.query("begin")
  await hanging.query("lock table delivery in access exclusive mode")
  const paths = ["/v1/channels/acme/health", "/v1/deliveries", "/v1/deliveries?state=dead"]
  const calls = Array.from({ length: 30 }, (_, n) => console.call("GET", paths[n % 3] ?? "", { key }))
  const rejected = await Promise.race(calls)
  expect(rejected).toMatchObject({ status: 429, json: { code: "too-many-requests" } })
  expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(0)
  const blocked = async () => {
    const { rows } = await hanging.query(
      "select from pg_stat_activity where application_name = 'console-under-test' and wait_event_type = 'Lock' and datname = current_database()",
    )
    return rows.length
  }
  await waitUntil("the first read", async () => (await blocked()) === 1)
  // An operator's requests get the other connection of the pool.
  for (const path of ["/v1/channels/acme", "/v1/jobs", "/v1/keys"])
    expect((await console.call("GET", path)).status, path).toBe(200)
  expect(await blocked()).toBe(1)
  await hanging.query("rollback")
  hanging.release()
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

test("all keys together have a limit, and take turns in the order of their requests", async () => {
  const run = limitExpensive(2)
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
  const run = limitExpensive(1)
  const failing = run("a", () => Promise.reject(new Error("broken")))
  const next = run("a", async () => "done")
  await expect(failing).rejects.toThrow("broken")
  expect(await next).toBe("done")
})
