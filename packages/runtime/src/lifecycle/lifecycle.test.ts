import { EventEmitter, once } from "node:events"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { createLogger } from "../logging/logger.ts"
import { startLifecycle } from "./lifecycle.ts"

/** A fake `process` that receives signals and records exits. */
function fakeProcess() {
  const exits: (number | undefined)[] = []
  const host = Object.assign(new EventEmitter(), { exit: (code?: number) => void exits.push(code) })
  return { host: host as unknown as NodeJS.Process, exits }
}
const log = createLogger({ service: "test", level: "silent" })

test("SIGTERM closes everything, the last registered first, and exits with 0", async () => {
  const { host, exits } = fakeProcess()
  const lifecycle = startLifecycle({ log, deadlineMs: 1_000, process: host })
  const closed: string[] = []
  for (const name of ["database", "producer", "consumer"])
    lifecycle.onStop(name, async () => closed.push(name))
  host.emit("SIGTERM", "SIGTERM")
  expect(lifecycle.stopping.aborted).toBe(true)
  await waitUntil("the exit", () => exits.length > 0)
  expect(closed).toEqual(["consumer", "producer", "database"])
  expect(exits).toEqual([0])
})

test("a function that does not close delays the exit only to the deadline, and the exit code is 1", async () => {
  const { host, exits } = fakeProcess()
  const lifecycle = startLifecycle({ log, deadlineMs: 50, process: host })
  const closed: string[] = []
  lifecycle.onStop("first", async () => closed.push("first"))
  lifecycle.onStop("hangs", () => new Promise(() => {}))
  host.emit("SIGTERM", "SIGTERM")
  await waitUntil("the exit", () => exits.length > 0)
  expect(closed).toEqual(["first"])
  expect(exits).toEqual([1])
})

test("the expiring signal is aborted before the shutdown deadline ends", async () => {
  const { host, exits } = fakeProcess()
  const lifecycle = startLifecycle({ log, deadlineMs: 500, process: host })
  const closed: string[] = []
  lifecycle.onStop("first", async () => closed.push("first"))
  lifecycle.onStop("waits", () => once(lifecycle.expiring, "abort"))
  host.emit("SIGTERM", "SIGTERM")
  expect(lifecycle.expiring.aborted).toBe(false)
  await waitUntil("the exit", () => exits.length > 0)
  expect(closed).toEqual(["first"])
  expect(exits).toEqual([0])
})

test("functions that are registered during the stop are called as well", async () => {
  const { host, exits } = fakeProcess()
  const lifecycle = startLifecycle({ log, deadlineMs: 1_000, process: host })
  const closed: string[] = []
  lifecycle.onStop("first", async () => {
    lifecycle.onStop("late", async () => closed.push("late"))
    closed.push("first")
  })
  host.emit("SIGTERM", "SIGTERM")
  await waitUntil("the exit", () => exits.length > 0)
  expect(closed).toEqual(["first", "late"])
})

test("a second signal exits at once", () => {
  const { host, exits } = fakeProcess()
  const lifecycle = startLifecycle({ log, deadlineMs: 60_000, process: host })
  lifecycle.onStop("hangs", () => new Promise(() => {}))
  host.emit("SIGTERM", "SIGTERM")
  host.emit("SIGINT", "SIGINT")
  expect(exits).toEqual([1])
})
