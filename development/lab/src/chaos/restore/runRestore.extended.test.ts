import { expect, test } from "vitest"
import { shortRun, shortRunTimeout } from "../run.ts"
import { runRestore } from "./runRestore.ts"

test("restore: an older copy of Postgres and the runbook's steps lose no event and no 202, without retry topics too", {
  timeout: shortRunTimeout,
}, async () => {
  const { ledger, faults } = await runRestore(shortRun())
  expect(ledger).toMatchObject({
    lost: 0,
    forged: 0,
    forgotten: [],
    unfinished: 0,
    uncommitted: 0,
    holds: true,
  })
  expect(ledger.published).toBeGreaterThanOrEqual(500)
  expect(ledger.accepted).toBeGreaterThanOrEqual(100)
  expect(faults.filter(({ kind }) => kind === "Postgres restored")).toHaveLength(2)
})
