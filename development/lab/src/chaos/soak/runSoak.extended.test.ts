import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { join } from "node:path"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { stateFolder } from "../../shared/startLab.ts"
import { shortRun, shortRunTimeout } from "../shortRun.ts"
import { runSoak } from "./runSoak.ts"

const main = join(import.meta.dirname, "../main.ts")

/** Kills a soak under load, with all that it started. Returns how many events it published and how many triggers it called. */
async function leaveKilledPiece(folder: string, seed: number) {
  const args = [main, "soak", "--continue", folder, "--hours", "0.02", "--seed", String(seed)]
  const killed = spawn(process.execPath, args, { stdio: ["ignore", "ignore", "inherit"] })
  const ended = once(killed, "close")
  const readLedger = async () => {
    const lines = (await readFile(join(folder, "load.jsonl"), "utf8")).split("\n").filter(Boolean)
    const entries = lines.map((line) => JSON.parse(line) as { events?: number })
    const events = entries.reduce((sum, { events = 0 }) => sum + events, 0)
    return { events, calls: entries.filter(({ events }) => events === undefined).length }
  }
  const isLoaded = async () => (await readLedger()).events > 300
  const early = ended.then(() => Promise.reject(new Error("the soak ended before it was killed")))
  await Promise.race([early, waitUntil("300 events", isLoaded, shortRunTimeout)])
  killed.kill("SIGKILL")
  await ended
  return readLedger()
}

test("soak: both flows lose nothing under faults, over a killed piece and the one that continues it, and all is measured", {
  timeout: shortRunTimeout,
}, async () => {
  const { seed, progress } = shortRun()
  const folder = await mkdtemp(join(stateFolder, "soak-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const killed = await leaveKilledPiece(folder, seed)
  const { signal } = new AbortController()
  const run = { seed: seed + 1, progress, signal, folder, durationMs: 5_000, leastFaults: 2 }
  const { ledger, faults, figures } = await runSoak(run)
  expect(ledger).toMatchObject({ lost: 0, forged: 0, forgotten: [], unfinished: 0, exits: 0, holds: true })
  expect(ledger.published).toBeGreaterThan(killed.events)
  expect(ledger.accepted + ledger.rejected).toBeGreaterThan(killed.calls)
  expect(faults.length).toBeGreaterThanOrEqual(2)
  expect(figures.events?.first).toBeLessThan(killed.events)
  const names = ["dispatcher-1", "gateway-1", "scheduler-1"].flatMap((of) => [`MB ${of}`, `cores ${of}`])
  for (const name of [
    ...names,
    "descriptors dispatcher-1",
    "table MB delivery",
    "index MB delivery",
    "p99 ms",
  ])
    expect(figures[name]?.largest, name).toBeGreaterThan(0)
  expect(Object.keys(figures)).toEqual(expect.arrayContaining(["oldest due sync s", "oldest due attempt s"]))
})
