import type { Mutant } from "../mutant.ts"

export const syncSchedulerMutants: readonly Mutant[] = [
  {
    name: "Scheduler: a trigger's record counts as done before Postgres has it",
    file: "services/sync-scheduler/src/store.ts",
    find: 'retry("record triggers", () => recordTriggers(sql, windows, triggers)),',
    replace:
      '{\n        void retry("record triggers", () => recordTriggers(sql, windows, triggers))\n        return Promise.resolve({ recorded: triggers.length, dueInMs: 0 })\n      },',
    tests: ["services/sync-scheduler/test/outages.test.ts"],
    testName: "whose scheduler is killed while Postgres is unavailable",
  },
  {
    name: "Scheduler: a run whose grant Postgres lost stores its result under a later grant's fence",
    file: "services/sync-scheduler/src/sync/finishRuns.ts",
    find: "and ended.fence = w.fence and ended.grant_id = w.grant_id",
    replace: "and ended.fence = w.fence",
    tests: ["services/sync-scheduler/src/sync/finishRuns.test.ts"],
    testName: "a run whose grant Postgres lost writes nothing",
  },
  {
    name: "Scheduler: a run that was replaced by a newer one stores its result",
    file: "services/sync-scheduler/src/sync/finishRuns.ts",
    find: "and ended.fence = w.fence and ended.grant_id = w.grant_id",
    replace: "",
    tests: ["services/sync-scheduler/src/sync/finishRuns.test.ts"],
    testName: "a run whose fence is not the newest writes nothing",
  },
  {
    name: "Scheduler: a claim that began before a change of the source fetches the old source",
    file: "services/sync-scheduler/src/schedule/claimStatements.ts",
    find: "w.connection_id and c.source_version = w.source_version\n  where w.due_at <= (select at from clock) and",
    replace: "w.connection_id\n  where w.due_at <= (select at from clock) and",
    tests: ["services/sync-scheduler/test/changedConnections.test.ts"],
    testName: "a claim that began before the change was committed",
  },
  {
    name: "Scheduler: a chunk that is stored during the deletion of its connection stays",
    file: "services/sync-scheduler/src/sync/storeChunk.ts",
    find: "\n  for key share",
    replace: "",
    tests: ["services/sync-scheduler/test/changedConnections.test.ts"],
    testName: "a run of a deleted connection writes nothing",
  },
  {
    name: "Scheduler: the grace between grant and request ignores the time in which the machine was suspended",
    file: "services/sync-scheduler/src/schedule/stopwatch.ts",
    find: "Math.max(monotonic() - started.monotonic, wall() - started.wall)",
    replace: "monotonic() - started.monotonic",
    tests: ["services/sync-scheduler/src/schedule/runDueSyncs.test.ts"],
    testName: "even if the monotonic clock did not advance",
  },
]
