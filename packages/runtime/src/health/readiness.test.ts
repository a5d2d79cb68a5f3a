import { expect, test } from "vitest"
import { createReadiness } from "./readiness.ts"

test("a part that goes and comes back is told once each, whatever happens between", () => {
  const told: string[] = []
  const readiness = createReadiness(["postgres"], (part, { ready, why }) =>
    told.push(`${part} ${ready ? "back" : `away: ${why}`}`),
  )
  readiness.set("postgres", true)
  expect(told).toEqual([])
  // A thousand that wait for the same database, each of which tries again.
  for (let at = 0; at < 1_000; at += 1) readiness.set("postgres", false, `refused ${at % 2}`)
  expect(readiness.read()).toMatchObject({ ready: false, parts: { postgres: { why: "refused 1" } } })
  for (let at = 0; at < 1_000; at += 1) readiness.set("postgres", true)
  expect(told).toEqual(["postgres away: refused 0", "postgres back"])
})

test("a part that fails before it ever worked is told, a start is not", () => {
  const told: string[] = []
  const readiness = createReadiness(["postgres"], (part) => told.push(part))
  readiness.set("postgres", false, "refused")
  readiness.set("sealing keys", false, "no such key")
  readiness.set("kafka", true)
  expect(told).toEqual(["sealing keys"])
})

test("ready only when all parts are, those included that nobody had named before", () => {
  const readiness = createReadiness(["postgres"])
  expect(readiness.read()).toMatchObject({
    ready: false,
    parts: { postgres: { why: "starting" } },
  })
  readiness.set("postgres", true)
  expect(readiness.read().ready).toBe(true)
  readiness.set("kafka", false, "refused")
  expect(readiness.read().ready).toBe(false)
})

test("a part that is spared is told of, and changes nothing", () => {
  const readiness = createReadiness(["postgres"], undefined, ["kafka"])
  readiness.set("postgres", true)
  expect(readiness.read()).toMatchObject({ ready: true, parts: { kafka: { ready: false } } })
})
