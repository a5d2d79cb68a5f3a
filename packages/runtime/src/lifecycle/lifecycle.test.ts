import { EventEmitter, once } from "node:events"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { createLogger } from "../logging/logger.ts"
import { startLifecycle } from "./lifecycle.ts"

/** Stands for `process`: signals can be sent to it, and exits are kept instead of made. */
function standIn() {
  const exits: (number | undefined)[] = []
  const host = Object.assign(new EventEmitter(), { exit: (code?: number) => void exits.push(code) })
  return { host: host as unknown as NodeJS.Process, exits }
}
const log = createLogger({ service: "test", level: "silent" })

test("SIGTERM closes what was built, last first, and exits with 0", async () => {
  const { host, exits } = standIn()
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

test("a part that does not close holds up the exit only to the deadline, and the exit code tells", async () => {
  const { host, exits } = standIn()
  const lifecycle = startLifecycle({ log, deadlineMs: 50, process: host })
  const closed: string[] = []
  lifecycle.onStop("first", async () => closed.push("first"))
  lifecycle.onStop("hangs", () => new Promise(() => {}))
  host.emit("SIGTERM", "SIGTERM")
  await waitUntil("the exit", () => exits.length > 0)
  expect(closed).toEqual(["first"])
  expect(exits).toEqual([1])
})

test("what records outcomes is told before the time for the stop is over", async () => {
  const { host, exits } = standIn()
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

test("what a start that is under way registers during the stop is closed as well", async () => {
  const { host, exits } = standIn()
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
  const { host, exits } = standIn()
  const lifecycle = startLifecycle({ log, deadlineMs: 60_000, process: host })
  lifecycle.onStop("hangs", () => new Promise(() => {}))
  host.emit("SIGTERM", "SIGTERM")
  host.emit("SIGINT", "SIGINT")
  expect(exits).toEqual([1])
})
