import { expect, test } from "vitest"
import { createReadiness } from "./readiness.ts"

test("a failing check is reported once and its recovery once, whatever happens in between", () => {
  const changes: string[] = []
  const readiness = createReadiness(["postgres"], (check, { ready, why }) =>
    changes.push(`${check} ${ready ? "passes" : `fails: ${why}`}`),
  )
  readiness.set("postgres", true)
  expect(changes).toEqual([])
  // Like a thousand batches that retry on the same database.
  for (let at = 0; at < 1_000; at += 1) readiness.set("postgres", false, `refused ${at % 2}`)
  expect(readiness.read()).toMatchObject({ ready: false, checks: { postgres: { why: "refused 1" } } })
  for (let at = 0; at < 1_000; at += 1) readiness.set("postgres", true)
  expect(changes).toEqual(["postgres fails: refused 0", "postgres passes"])
})

test("a check without a start that fails first is reported; a check that is still starting is not", () => {
  const changes: string[] = []
  const readiness = createReadiness(["postgres"], (check) => changes.push(check))
  readiness.set("postgres", false, "refused")
  readiness.set("sealing keys", false, "no such key")
  readiness.set("kafka", true)
  expect(changes).toEqual(["sealing keys"])
})

test("ready only if all checks pass, also those that were not named at the start", () => {
  const readiness = createReadiness(["postgres"])
  expect(readiness.read()).toMatchObject({
    ready: false,
    checks: { postgres: { why: "starting" } },
  })
  readiness.set("postgres", true)
  expect(readiness.read().ready).toBe(true)
  readiness.set("kafka", false, "refused")
  expect(readiness.read().ready).toBe(false)
})

test("an optional check is shown and does not make the process unready", () => {
  const readiness = createReadiness(["postgres"], undefined, ["kafka"])
  readiness.set("postgres", true)
  expect(readiness.read()).toMatchObject({ ready: true, checks: { kafka: { ready: false } } })
})
