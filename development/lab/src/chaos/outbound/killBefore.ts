import { setTimeout as sleep } from "node:timers/promises"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import type { ChaosLab } from "../run.ts"

/**
 * Where a statement of a dispatcher can be made to wait: before it writes anything of a first attempt, when it has written all of
 * it and not committed, and before it writes what a delivery waits for, or that it is claimed.
 */
const killPoints = {
  row: "before insert on known_event for each statement",
  commit: "after insert on known_event deferrable initially deferred for each row",
  retry: "before insert or update on waiting_delivery for each statement",
} as const
export type KillPoint = keyof typeof killPoints

/** The keys of advisory locks. */
const lockClass = 6_661
const keyOf = (point: KillPoint) => Object.keys(killPoints).indexOf(point)

/** Adds triggers that wait while `killBefore` holds a lock. */
export async function addKillPoints({ sql }: Pick<ChaosLab, "sql">): Promise<void> {
  await sql(`create function wait_at_kill_point() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(${lockClass}, tg_argv[0]::int); return null; end $$`)
  for (const [name, when] of Object.entries(killPoints)) {
    const kind = when.includes("deferred") ? "constraint trigger" : "trigger"
    const key = keyOf(name as KillPoint)
    await sql(`create ${kind} kill_point_${name} ${when} execute function wait_at_kill_point('${key}')`)
  }
}

/** Longer than a dispatcher collects outcomes, so that under load one waits. */
const mostMs = 10_000

/** Kills all dispatchers while statements wait at this point. Returns how many waited. */
export async function killBefore(
  { pool }: Pick<ChaosLab, "pool">,
  dispatchers: readonly SupervisedProcess[],
  point: KillPoint,
): Promise<number> {
  const client = await pool.driver.connect()
  const waiting = async () =>
    (
      await client.query(
        "select from pg_locks where locktype = 'advisory' and not granted and classid = $1 and objid = $2",
        [lockClass, keyOf(point)],
      )
    ).rowCount ?? 0
  try {
    await client.query("begin")
    await client.query("select pg_advisory_xact_lock($1, $2)", [lockClass, keyOf(point)])
    const endsAt = performance.now() + mostMs
    let count = await waiting()
    for (; count === 0 && performance.now() < endsAt; count = await waiting()) await sleep(20)
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.kill()))
    await client.query("rollback")
    client.release()
    return count
  } catch (error) {
    client.release(true)
    throw error
  } finally {
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.start()))
  }
}
