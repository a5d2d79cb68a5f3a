import { expect, onTestFinished, test } from "vitest"
import { startDeliveryDatabase } from "../../test/fixtures/deliveryDatabase.ts"
import { loadDeliveries } from "./loadDeliveries.ts"

const secondsAgo = (seconds: number) => `now() - ${seconds} * interval '1 second'`

test("a retry is loaded if its attempt is scheduled and nobody has locked it, also the retry of a failed resend", async () => {
  const { sql, driver, insert } = await startDeliveryDatabase()
  const scheduled = [await insert(), await insert({ state: "'delivered'", next_attempt_at: "now()" })]
  const others = await Promise.all(
    ["delivered", "dead", "cancelled", "erased"].map((state) => insert({ state: `'${state}'` })),
  )
  others.push(await insert({ deferred_at: "now()", deferred_reason: "'busy'" }), await insert())
  const other = await driver.connect()
  onTestFinished(() => other.release(true))
  await other.query("begin")
  await other.query("select from waiting_delivery where delivery_id = $1 for update", [others.at(-1)])
  const loaded = await loadDeliveries(sql, [...others, ...scheduled])
  expect(loaded.map(({ id }) => id).sort()).toEqual(scheduled.sort())
})

test("neither the time by which a retry is late nor a change of Postgres's clock uses up its retry period", async () => {
  const { sql, insert } = await startDeliveryDatabase()
  for (const [about, dueS, startedS, usedS] of [
    ["on time", 0, 60, 60],
    ["late", 50, 60, 10],
    ["early", -20, 60, 60],
    ["the clock was set back by an hour", -3_600, -3_540, 0],
    ["the clock was set ahead by an hour", 3_600, 3_660, 60],
  ] as const) {
    const id = await insert({ next_attempt_at: secondsAgo(dueS), period_started_at: secondsAgo(startedS) })
    const [loaded] = await loadDeliveries(sql, [id])
    expect(Math.abs((loaded?.elapsedMs ?? 0) - usedS * 1_000), about).toBeLessThan(9_000)
  }
})
