import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { retryStatements } from "./retryStatements.ts"

const locked = Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" })
const startRetrying = (states: boolean[]) =>
  retryStatements({
    isTransient: () => true,
    signal: new AbortController().signal,
    onState: (working) => states.push(working),
  })

test("while a statement fails, Postgres is reported as unavailable, although others succeed", async () => {
  const states: boolean[] = []
  const retry = startRetrying(states)
  let failures = 0
  let recovered = false
  const failing = retry("finish runs", async () => {
    if (recovered) return "done"
    failures += 1
    throw locked
  })
  await waitUntil("a second failure", () => failures === 2)
  await retry("claim due syncs", async () => {})
  expect(states).not.toContain(true)
  recovered = true
  expect(await failing).toBe("done")
  expect(states.at(-1)).toBe(true)
})

test("a statement that is given up no longer counts as failing", async () => {
  const states: boolean[] = []
  const stopping = new AbortController()
  const retry = startRetrying(states)
  const claim = retry(
    "claim due syncs",
    async () => {
      throw locked
    },
    stopping.signal,
  )
  await waitUntil("a failure", () => states.at(-1) === false)
  stopping.abort()
  await expect(claim).rejects.toBe(locked)
  expect(states.at(-1)).toBe(true)
})
