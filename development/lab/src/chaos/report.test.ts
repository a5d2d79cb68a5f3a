import { expect, test } from "vitest"
import type { Fault } from "./faults/driveFaults.ts"
import type { Evidence, SeenRequest } from "./outbound/evidence.ts"
import { reconcile } from "./outbound/reconcile.ts"
import { type Finished, report } from "./report.ts"

const kill: Fault = { kind: "kill -9", target: "dispatcher-1", beganAt: 10_000, endedAt: 12_000 }
const request: SeenRequest = {
  at: 9_001,
  channel: "acme",
  delivery: "d-a",
  number: 1,
  sha256: "sha-a",
  verified: true,
  event: "a",
  status: 204,
}

/** One event that was delivered by its first attempt, and one kill. */
function evidence(overrides: Partial<Evidence> = {}): Evidence {
  return {
    published: [{ event: "a", channel: "acme", sha256: "sha-a", twice: false, erasable: false }],
    deliveries: [
      {
        delivery: "d-a",
        event: "a",
        state: "delivered",
        attempts: 1,
        sha256: "sha-a",
        deferred: false,
        scheduled: false,
      },
    ],
    attempts: [{ delivery: "d-a", number: 1, at: 9_000, delivered: true }],
    requests: [request],
    deferrals: [],
    accepted: [],
    outcomes: [{ event_id: "a", state: "delivered", ended_at: "2030-01-01T00:00:09.000Z" }],
    jobs: [],
    uncommittedKeys: { events: [], deliveries: [] },
    faults: [kill],
    members: 3,
    outstanding: 64,
    ...overrides,
  }
}

const outbound = (of: Evidence): Finished => ({
  seed: 17,
  ledger: reconcile(of),
  faults: of.faults,
})

function reported(finished: Finished, json: boolean) {
  let stdout = ""
  const tables: unknown[] = []
  const lines: string[] = []
  const status = report(finished, {
    json,
    print(text) {
      stdout += text
    },
    table: (rows) => void tables.push(rows),
    progress: (line) => void lines.push(line),
  })
  return { status, stdout, tables, lines }
}

test("with --json a run that holds prints one JSON object and nothing else, and exits with 0", () => {
  const { status, stdout, tables, lines } = reported(outbound(evidence()), true)
  expect(stdout).toMatch(/^\{.*\}\n$/)
  expect(JSON.parse(stdout)).toEqual({
    seed: 17,
    published: 1,
    delivered: 1,
    lost: 0,
    erased: 0,
    duplicates: 0,
    bound: 2 * 3 * 64,
    forged: 0,
    forked: 0,
    resends: 0,
    unsent: 0,
    stranded: 0,
    withoutCarrier: 0,
    misrecorded: 0,
    uncommitted: 0,
    unheard: 0,
    afterDelivery: 0,
    deferred: "",
    holds: true,
    faults: 1,
  })
  expect({ status, tables, lines }).toEqual({ status: 0, tables: [], lines: [] })
})

test.each<[string, Partial<Evidence>, Record<string, number>]>([
  ["a loss", { requests: [] }, { lost: 1 }],
  [
    "more duplicates than the bound",
    { requests: [request, { ...request, at: 13_000 }], outstanding: 0 },
    { duplicates: 1, bound: 0, forked: 0 },
  ],
  ["a forgery", { requests: [request, { ...request, verified: false, status: 400 }] }, { forged: 1 }],
  ["a fork", { faults: [], requests: [request, { ...request, number: 2, status: 500 }] }, { forked: 2 }],
  ["a row that says something else", { deliveries: [] }, {}],
  ["a record that is not committed", { uncommittedKeys: { events: ["a"], deliveries: [] } }, {}],
  [
    "a resend without an attempt",
    { deferrals: [{ delivery: "d-a", reason: "resend", at: 20_000 }] },
    { unsent: 1 },
  ],
])("%s makes the exit status 1, and the JSON is there all the same", (_, overrides, counts) => {
  const { status, stdout, lines } = reported(outbound(evidence(overrides)), true)
  expect(lines.at(-1)).toMatch(/^a promise is broken: .*"holds":false/)
  expect(JSON.parse(stdout)).toMatchObject({ seed: 17, published: 1, ...counts })
  expect(status).toBe(1)
  expect(reported(outbound(evidence(overrides)), false).status).toBe(1)
})

test("what was found goes to stderr, and without --json stdout has two tables and no JSON", () => {
  const { stdout, tables, lines } = reported(outbound(evidence({ requests: [] })), false)
  expect(stdout).toBe("")
  expect(tables).toEqual([
    [{ fault: "kill -9", times: 1, seconds: 2 }],
    expect.objectContaining({ published: 1, lost: 1, misrecorded: 1, holds: false }),
  ])
  expect(lines.slice(0, -1)).toEqual(["lost: a", "misrecorded: a: delivered, taken 0 times"])
  expect(lines.at(-1)).toMatch(/^a promise is broken: /)
})
