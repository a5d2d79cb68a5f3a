import type { Pool } from "@sitewire/database"
import { check, createHistory, dayMs, type History, same, startOfTime, type World } from "./history.ts"
import { performs } from "./perform.ts"
import { readRows, rowsOf } from "./rows.ts"
import type { Step } from "./steps.ts"

/**
 * Executes the steps on the real functions and on the model, and compares their results, and all rows after each step. Beside
 * this, it checks the promises that are about more than one row; these know nothing of the model.
 */
export async function runHistory(world: World, steps: readonly Step[]): Promise<void> {
  const it = createHistory(world)
  const { model, trace } = it
  const execute = createExecute(it)
  try {
    await reset(world.pool)
    for (const channel of ["c0", "c1"]) model.channels.set(channel, { paused: false, deleted: false })
    await it.setClock(startOfTime)
    for (const step of steps) await execute(step)
    await settle(it, execute)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new Error(`${message}\nafter\n  ${trace.join("\n  ")}`, { cause: error })
  }
}

const situation = ({ deliveries, waiting }: History, id: string) => {
  const state = deliveries.get(id)?.state
  const row = waiting.get(id)
  if (state === "delivered" && row) return "resent"
  if (state !== "pending") return state ?? "none"
  return row ? (row.next === null ? "deferred" : "scheduled") : "pending without a carrier"
}
const snapshot = (it: History) =>
  new Map(
    it
      .ids()
      .map((id) => [
        id,
        { at: situation(it, id), rows: JSON.stringify([it.deliveries.get(id), it.waiting.get(id)]) },
      ]),
  )
/** Returns what the step has changed. */
function count(it: History, kind: string, before: ReturnType<typeof snapshot>): string[] {
  const after = snapshot(it)
  const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
    (id) => before.get(id)?.rows !== after.get(id)?.rows,
  )
  const arrows = changed.map(
    (id) => `${kind}: ${before.get(id)?.at ?? "none"} -> ${after.get(id)?.at ?? "none"}`,
  )
  for (const arrow of arrows) it.tally.set(arrow, (it.tally.get(arrow) ?? 0) + 1)
  return changed.map(
    (id) =>
      `${it.deliveries.get(id)?.event ?? id} ${before.get(id)?.at ?? "none"} -> ${after.get(id)?.at ?? "none"}`,
  )
}

/** Executes a step, and compares the rows if it has executed a statement. */
function createExecute(it: History): (step: Step) => Promise<void> {
  const { pool, statements, model, trace, ids, pass, whileLocked } = it
  const perform = performs(it)
  let compared = 0
  return async (step) => {
    const set = Object.entries(step).filter(([, value]) => value !== false && value !== null)
    const line = trace.push(
      `${new Date(model.clock.now).toISOString()} ${set.map(([name, value]) => `${name} ${value}`).join(", ")}`,
    )
    // What is counted has passed before.
    if (step.do === "report") await pass(step.ms)
    const before = snapshot(it)
    const run = perform[step.do] as (step: Step) => Promise<unknown> | unknown
    await whileLocked("locked" in step ? step.locked : null, async () => {
      await run(step)
      if ("twice" in step && step.twice && step.do !== "end" && step.do !== "release") await run(step)
    })
    for (const change of count(it, step.do, before)) trace[line - 1] += `: ${change}`
    // What ends forgets its lease, so a resend may be attempted beside an attempt that is still in flight, with the same number.
    for (const [key, claim] of it.claims) if (!it.waiting.has(key.split(" ")[0] ?? "")) claim.isOver = true
    if (statements.executed === compared) return
    compared = statements.executed
    const rows = await readRows(pool.sql)
    const expected = rowsOf(model)
    for (const table of Object.keys(expected) as (keyof typeof expected)[])
      same(rows[table], expected[table], `the rows of ${table}`)
    for (const id of ids())
      check(situation(it, id) !== "pending without a carrier", `${id} waits for nothing`)
  }
}

/** When everybody works again, everything ends. */
async function settle({ model, waiting }: History, execute: (step: Step) => Promise<void>): Promise<void> {
  for (const by of ["A", "B"] as const) await execute({ do: "kill", by })
  await execute({ do: "pass", ms: dayMs })
  for (const channel of model.channels.keys()) await execute({ do: "resume", channel })
  await execute({ do: "endDeleted", twice: false, locked: null })
  await execute({ do: "makeDue", twice: false, locked: null })
  for (const at of [...waiting.keys()].keys())
    await execute({
      do: "claim",
      by: "A",
      waiting: at,
      most: 100,
      fromNow: false,
      lost: false,
      locked: null,
    })
  const rest = { twice: false, locked: null, unpublished: false, staleErasures: false, covered: false }
  await execute({ do: "end", flight: 0, most: 100, response: "accepted", ...rest })
  same([...waiting.keys()], [], "what waits at the end")
}

async function reset({ sql }: Pool): Promise<void> {
  await sql(`delete from delivery; delete from waiting_delivery; delete from attempt; delete from known_event;
    delete from ended_delivery; delete from unreachable_channel; delete from deleted_channel; delete from channel;
    insert into channel (id, address, secret_id, secret_sealed, updated_at)
      values ('c0', 'https://partner.example/', 's', '', now()), ('c1', 'https://partner.example/', 's', '', now());
    select make_days('2030-01-01', '2030-01-02') where to_regclass('delivery_20300101') is null`)
}
