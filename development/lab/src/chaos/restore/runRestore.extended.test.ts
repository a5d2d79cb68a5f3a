import { expect, test } from "vitest"
import { shortRun, shortRunTimeout } from "../run.ts"
import { runRestore } from "./runRestore.ts"

test("restore: an older copy of Postgres and the runbook's steps lose no event and no 202, with or without retry topics", {
  timeout: shortRunTimeout,
}, async () => {
  const { ledger, faults } = await runRestore({ ...shortRun(), brief: true })
  expect(ledger).toMatchObject({
    lost: 0,
    forged: 0,
    forgotten: [],
    unfinished: 0,
    uncommitted: 0,
    holds: true,
  })
  expect(ledger.published).toBeGreaterThanOrEqual(250)
  expect(ledger.accepted).toBeGreaterThanOrEqual(100)
  expect(faults.filter(({ kind }) => kind === "Postgres restored")).toHaveLength(1)
})
