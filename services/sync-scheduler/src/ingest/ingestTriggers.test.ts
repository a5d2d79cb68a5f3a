import type { ConsumerRecord } from "@sitewire/kafka"
import { createLogger, noTracing } from "@sitewire/runtime"
import type { CompactedTrigger } from "@sitewire/syncs"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { createIngestTriggers, type IngestTriggersOptions } from "./ingestTriggers.ts"

let offset = 0

function recordOf(connection: string): ConsumerRecord {
  offset += 1
  const appendedAt = new Date()
  const at = appendedAt.toISOString()
  const trigger = { connection, first_at: at, last_at: at, count: 1, correlation: "c" }
  return {
    topic: "connector.triggered",
    partition: 0,
    offset: String(offset),
    key: connection,
    value: Buffer.from(JSON.stringify(trigger)),
    headers: {},
    original: { key: null, headers: {} },
    appendedAt: appendedAt.getTime(),
    timeFrom: "publisher",
  }
}

function startIngest(recordTriggers: IngestTriggersOptions["recordTriggers"]) {
  const recorded: number[] = []
  const failures: unknown[] = []
  const ingest = createIngestTriggers({
    recordTriggers,
    retry: (record) => record(),
    onRecorded: ({ triggers }) => recorded.push(triggers),
    onInvalid: () => {},
    onFailed: (error) => failures.push(error),
    tracing: noTracing,
    log: createLogger({ service: "test", level: "silent" }),
  })
  return { ...ingest, recorded, failures }
}

const connectionsOf = (triggers: CompactedTrigger[]) => triggers.map(({ connection }) => connection)

test("a batch waits for a locked row only once, and the locked trigger is done only when it is recorded", async () => {
  let isLocked = true
  const batches: { connections: string[]; waitForLocks: boolean }[] = []
  const done: string[] = []
  const ingest = startIngest(async (triggers, { waitForLocks }) => {
    const connections = connectionsOf(triggers)
    batches.push({ connections, waitForLocks })
    const locked = connections.filter((connection) => isLocked && connection === "a")
    return { recorded: connections.length - locked.length, dueInMs: 0, locked }
  })
  const publish = (...connections: string[]) =>
    ingest.onRecords(connections.map(recordOf), ({ key }) => done.push(key ?? ""))
  publish("a", "b", "a")
  await waitUntil("the other to be done", () => done.length === 1)
  expect(done).toEqual(["b"])
  expect(ingest.waitsForLocks()).toBe(true)
  publish("c")
  await waitUntil("later ones to be done", () => done.includes("c"))
  expect(batches[0]).toEqual({ connections: ["a", "b"], waitForLocks: true })
  await waitUntil("several tries", () => batches.length > 3)
  expect(batches.slice(1).every(({ waitForLocks }) => !waitForLocks)).toBe(true)
  isLocked = false
  await waitUntil("the locked ones to be done", () => done.length === 4)
  expect(ingest.waitsForLocks()).toBe(false)
  expect(ingest.recorded.reduce((sum, triggers) => sum + triggers, 0)).toBe(4)
  publish("d")
  await waitUntil("the next one to be done", () => done.length === 5)
  expect(batches.at(-1)).toEqual({ connections: ["d"], waitForLocks: true })
  expect(ingest.failures).toEqual([])
})

test("a batch that takes too long is recorded in smaller ones, and a row that takes too long alone delays no others", async () => {
  let isSlow = true
  const done: string[] = []
  const batches: number[] = []
  const ingest = startIngest(async (triggers) => {
    if (triggers.length > 2 || (isSlow && connectionsOf(triggers).includes("d")))
      throw Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" })
    batches.push(triggers.length)
    return { recorded: triggers.length, dueInMs: 0, locked: [] }
  })
  ingest.onRecords(["a", "b", "c", "d", "e"].map(recordOf), ({ key }) => done.push(key ?? ""))
  await waitUntil("the others to be done", () => done.length === 4)
  expect(batches).toEqual([2, 1, 1])
  isSlow = false
  await waitUntil("all to be done", () => done.length === 5)
  expect(ingest.failures).toEqual([])
})

test("triggers whose rows were locked are tried again although new ones never stop", async () => {
  const started = performance.now()
  const done = new Set<string>()
  const onDone = ({ key }: ConsumerRecord) => void done.add(key ?? "")
  const ingest = startIngest(async (triggers) => {
    const isLocked = performance.now() - started < 100
    const locked = connectionsOf(triggers).filter((connection) => isLocked && connection === "a")
    if (!done.has("a") && performance.now() - started < 10_000) ingest.onRecords([recordOf("b")], onDone)
    await new Promise((resolve) => setTimeout(resolve, 1))
    return { recorded: triggers.length - locked.length, dueInMs: 0, locked }
  })
  ingest.onRecords([recordOf("a")], onDone)
  await waitUntil("the locked one to be done", () => done.has("a"), 5_000)
})
