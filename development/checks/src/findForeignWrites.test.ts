import { expect, test } from "vitest"
import { findForeignWrites } from "./findForeignWrites.ts"

test("only the owner of a table writes it, in SQL or with Prisma; everybody may read it", () => {
  const found = (path: string, text: string) => findForeignWrites({ path, text }).length
  const foreign = "packages/console/src/retention/clean.ts"
  for (const write of [
    "insert into sync_run (connection_id) values ($1)",
    "update sync_window w set running = false",
    "delete\n  from previous_snapshot p using old",
    "await prisma.snapshotChunk.createMany({ data })",
  ]) {
    expect(found(foreign, write), write).toBe(1)
    expect(found("packages/syncs/src/abandon.ts", write), write).toBe(0)
    expect(found("packages/console/src/retention/clean.test.ts", write), write).toBe(0)
    expect(found("development/lab/src/bench/fill.ts", write), write).toBe(0)
  }
  expect(found(foreign, "select 1 from sync_window for update")).toBe(0)
  expect(found(foreign, "insert into snapshot_of_console (id) values (1)")).toBe(0)
})
