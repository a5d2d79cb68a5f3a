import { openPool } from "@sitewire/database"
import { freshDatabase } from "@sitewire/testkit"
import fc from "fast-check"
import { expect, onTestFinished, test, vi } from "vitest"
import { arrows } from "./arrows.ts"
import { rareHistories } from "./rareHistories.ts"
import { runHistory } from "./runHistory.ts"
import { histories, type Step } from "./steps.ts"

const shrinkForMs = 20_000
/** If random histories have not taken each arrow, as many follow. */
const mostRounds = 2

/**
 * Executes random histories of all that can happen to deliveries on the real functions and on a reference model of the state
 * diagram, and compares them after each step. `npm run chaos -- model --histories N --seed S` executes any number, and repeats those
 * of a failure by its seed.
 */
test("whatever happens to deliveries, their rows are those of the state diagram's model", async () => {
  // The same histories each time, so that a change is judged by itself. The command takes others.
  const seed = Number(process.env.MODEL_SEED ?? 903_233_361)
  const numRuns = Number(process.env.MODEL_HISTORIES ?? 100)
  const { pool, erasures } = await startPool()
  const ticks = { steady: 0 }
  const clock = vi.spyOn(performance, "now").mockImplementation(() => ticks.steady)
  onTestFinished(() => clock.mockRestore())
  const tally = new Map(arrows.map((arrow) => [arrow, 0]))
  let [executed, steps, shrinkUntil] = [0, 0, Number.POSITIVE_INFINITY]
  const property = fc.asyncProperty(histories, async (history) => {
    fc.pre(Date.now() < shrinkUntil)
    executed += 1
    steps += history.length
    await runHistory({ pool, erasures, tally, process: ticks }, history).catch((error: unknown) => {
      shrinkUntil = Math.min(shrinkUntil, Date.now() + shrinkForMs)
      throw error
    })
  })
  const neverTaken = () => arrows.filter((arrow) => tally.get(arrow) === 0)
  for (let round = 0; round === 0 || (round < mostRounds && neverTaken().length > 0); round++) {
    const examples = round === 0 ? rareHistories.map((steps): [Step[]] => [steps]) : []
    const { failed, errorInstance } = await fc.check(property, {
      seed: seed + round,
      numRuns: numRuns + examples.length,
      examples,
    })
    const { message } =
      errorInstance instanceof Error ? errorInstance : new Error("the histories could not be executed")
    if (failed) throw new Error(`seed ${seed + round}, the shortest history that was found: ${message}`)
  }
  const counts = [...tally].map(([arrow, times]) => `${String(times).padStart(9)} ${arrow}`)
  console.log(`seed ${seed}: ${executed} histories, ${steps} steps\n${counts.join("\n")}`)
  expect([...tally.keys()].slice(arrows.length), "no arrows of the diagram").toEqual([])
  expect(neverTaken(), "never taken").toEqual([])
})

/** A database with a clock that the test sets. Its functions precede the real ones in the search path. */
async function startPool() {
  const { url, drop } = await freshDatabase()
  const own = new URL(url)
  own.searchParams.set("options", "-c search_path=model,pg_catalog,public")
  const pool = openPool({ url: own.href, size: 3, name: "model" })
  onTestFinished(async () => {
    await pool.close()
    await drop()
  })
  const clock = "returns timestamptz language sql stable as 'select at from model.clock'"
  await pool.sql(`create schema model; create table model.clock (at timestamptz not null); insert into model.clock values (now());
    create function model.now() ${clock}; create function model.clock_timestamp() ${clock}`)
  const [list] = await pool.sql<{ version: string }>("select version from erasure_list")
  return { pool, erasures: list?.version ?? "" }
}
