import type { RetryRecord } from "@sitewire/contracts"
import { onOwnConnection, type Pool } from "@sitewire/database"
import type * as real from "../../src/index.ts"
import { type Claimed, createModel } from "./referenceModel.ts"

export const startOfTime = Date.parse("2030-01-02T12:00:00Z")
export const dayMs = 86_400_000

/** An attempt that a dispatcher makes. A kill forgets it. */
export type InFlight = { by: string; at: number; used: number } & (
  | { kind: "first"; delivery: real.NewDelivery; since: number }
  | { kind: "claimed"; due: real.ClaimedDelivery; claimed: Claimed }
)

/** How often each change of a delivery has occurred: the step, and the situations before and after it. */
type Tally = Map<string, number>
/** `steady`: what `performance.now` returns. */
export type World = { pool: Pool; erasures: string; tally: Tally; process: { steady: number } }

export function check(holds: boolean, promise: string): void {
  if (!holds) throw new Error(promise)
}

export function same(actual: unknown, expected: unknown, what: string): void {
  const [is, should] = [JSON.stringify(actual), JSON.stringify(expected)]
  check(is === should, `${what}\n  is      ${is}\n  expects ${should}`)
}

/** The element at this index, modulo the length. */
export const pick = <T>(list: readonly T[], index: number): T[] => list.slice(index % list.length).slice(0, 1)

/** A history that is executed: what the model, the dispatchers and Kafka have, and what the promises beside the model need. */
export function createHistory(world: World) {
  const { pool, process } = world
  const statements = { executed: 0 }
  const sql: Pool["sql"] = (...statement) => {
    statements.executed += 1
    return pool.sql(...statement)
  }
  const model = createModel()
  const { deliveries, waiting } = model.rows
  const inFlight = new Set<InFlight>()
  const records: RetryRecord[] = []
  /** Of each attempt that was claimed: until when nobody else may make it, by Postgres's clock and by a steady one. */
  const claims = new Map<string, { lease: number; endsAt: number; isOver: boolean }>()
  const notBefore = new Map<string, number>()
  /** How much of the retry period each delivery has used at most: delays, attempts, and what was reported while it was deferred. */
  const used = new Map<string, number>()
  const ids = () => [...deliveries.keys()]
  const idsAt = (indexes: readonly number[]) =>
    [...new Set(indexes.flatMap((index) => pick(ids(), index)))].sort()
  const trace: string[] = []

  /** The channel of a deferred delivery that no dispatcher has claimed. */
  function deferredChannel(index: number): string {
    const free = [...waiting].filter(
      ([, { deferred, lease }]) => deferred !== null && (lease ?? 0) < model.clock.now,
    )
    const [id] = pick(
      free.map(([id]) => id),
      index,
    )
    return deliveries.get(id ?? "")?.channel ?? "c0"
  }

  async function setClock(now: number): Promise<void> {
    model.clock.now = now
    await pool.sql("update model.clock set at = to_timestamp($1::float8 / 1000)", [now], "set-clock")
  }
  async function pass(ms: number): Promise<void> {
    process.steady += ms
    await setClock(model.clock.now + ms)
  }
  const transaction = <T>(work: (sql: Pool["sql"]) => Promise<T>): Promise<T> =>
    onOwnConnection(pool, async (own) => {
      statements.executed += 1
      await own("begin")
      const result = await work(own)
      await own("commit")
      return result
    })

  /** Executes `work` while another transaction has locked the rows of a delivery. */
  async function whileLocked(index: number | null, work: () => Promise<void>): Promise<void> {
    const [id] = index === null ? [] : pick(ids(), index)
    if (id === undefined) return work()
    model.locked.add(id)
    await transaction(async (own) => {
      await own("select from waiting_delivery where delivery_id = $1 for update", [id])
      await own("select from delivery where id = $1 for update", [id])
      await work()
    })
    model.locked.clear()
  }

  return {
    ...{ ...world, sql, statements, model, ...model.rows, inFlight, records, claims, notBefore, used, trace },
    ...{ ids, idsAt, deferredChannel, setClock, pass, transaction, whileLocked },
  }
}

export type History = ReturnType<typeof createHistory>
