import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { needs } from "@sitewire/testkit/needs"
import { findTool, readRules } from "@sitewire/testkit/prometheus"
import { afterAll, expect, test } from "vitest"
import { stringify } from "yaml"
import {
  attempted,
  cases,
  healthy,
  ready,
  type Series,
  singleFailures,
  synced,
  triggers,
} from "./alertCases.ts"
import { dashboardExpressions } from "./dashboardExpressions.ts"

const run = promisify(execFile)
const promtool = needs(() => findTool("promtool")) ?? ""
const folder = await mkdtemp(join(tmpdir(), "sitewire-rules-"))
const rulesFile = join(folder, "rules.yaml")
await writeFile(rulesFile, await readRules())
afterAll(() => rm(folder, { recursive: true }))

test("the rules are valid", async () => {
  const { stdout } = await run(promtool, ["check", "rules", "--lint-fatal", rulesFile])
  expect(stdout).toContain("SUCCESS")
})

test("a healthy installation fires no alert", async () => {
  await expectFiring(healthy, [{ at: "3h", firing: [] }])
})

test("a single failure of little traffic is no alert", async () => {
  const times = ["61m", "66m", "75m", "2h"]
  await expectFiring(
    { ...healthy, ...singleFailures },
    times.map((at) => ({ at, firing: [] })),
  )
})

test("an outage that has ended pages nobody: neither its backlog nor what was overdue then", async () => {
  // Ten minutes in which nothing was delivered or synchronised, and then all of it, late.
  const outage: Series = {
    [attempted("15")]: "0+600x60 36000x9 36000+600x109",
    [attempted("+Inf")]: "0+600x60 36000x9 42600+600x109",
    [synced("75")]: "0+60x60 3600x9 3600+60x109",
    [synced("+Inf")]: "0+60x60 3600x9 4260+60x109",
    sitewire_oldest_overdue_seconds: "0x60 100x10 0x109",
    sitewire_oldest_due_sync_seconds: "0.5x60 100x10 0.5x109",
  }
  const pages = ["SitewireDeliveriesLate", "SitewireSyncsLate", "SitewireOverdue"]
  await expectFiring(
    { ...healthy, ...outage },
    ["73m", "75m", "80m", "95m"].flatMap((at) => pages.map((not) => ({ at, not }))),
  )
})

test("a console that is not ready is only a warning, because it delivers nothing", async () => {
  await expectFiring({ ...healthy, [ready("console")]: "1x60 0x119" }, [
    { at: "69m", firing: [] },
    { at: "2h", firing: ["SitewireReplicaNotReady"] },
  ])
})

test("an installation that fails is not hidden by one in another namespace", async () => {
  const first = { ...healthy, [triggers("accepted")]: "0+600000x180" }
  const second = {
    ...healthy,
    [triggers("unavailable")]: "0x60 60+60x119",
    [ready("webhook-dispatcher", "1")]: "1x60",
    [ready("webhook-dispatcher", "2")]: "1x60",
  }
  const rejected = ["SitewireTriggersRejected", "SitewireTriggersRejectedSlowly"]
  await expectFiring({ ...inNamespace("first", first), ...inNamespace("second", second) }, [
    { at: "110m", firing: ["SitewireProcessMissing", ...rejected] },
  ])
})

function inNamespace(name: string, series: Series): Series {
  const label = `namespace="${name}"`
  const renamed = (key: string) => (key.includes("{") ? key.replace("{", `{${label},`) : `${key}{${label}}`)
  return Object.fromEntries(Object.entries(series).map(([key, values]) => [renamed(key), values]))
}

test.each(cases)("$alert fires, and not before its time", async (alertCase) => {
  await expectAlert(alertCase, { ...healthy, ...alertCase.series })
})

async function expectAlert(
  { alert, at, before, also = [] }: (typeof cases)[number],
  series: Series,
): Promise<void> {
  const early = before === null ? [] : [{ at: before, not: alert }]
  await expectFiring(series, [...early, { at, firing: [alert, ...also] }])
}

/** Prometheus 3 stores the limits of buckets as floating-point numbers. */
const asStoredByPrometheus3 = (series: Series): Series =>
  Object.fromEntries(
    Object.entries(series).map(([key, values]) => [key.replace(/le="(\d+)"/, 'le="$1.0"'), values]),
  )

test.each(cases.filter(({ alert }) => alert.includes("Late")))(
  "$alert fires with the labels of Prometheus 3, too",
  async (alertCase) => {
    await expectAlert(alertCase, asStoredByPrometheus3({ ...healthy, ...alertCase.series }))
  },
)

test("every query of the dashboards is valid PromQL", async () => {
  const expressions = await dashboardExpressions()
  const rules = expressions.map((expr, at) => ({
    record: `query_${at}`,
    expr: expr.replaceAll("$__rate_interval", "1m"),
  }))
  const file = join(folder, "queries.yaml")
  await writeFile(file, stringify({ groups: [{ name: "queries", rules }] }))
  const { stdout } = await run(promtool, ["check", "rules", file])
  expect(stdout).toContain(`SUCCESS: ${expressions.length} rules found`)
})

type Expected = { at: string; firing: string[] } | { at: string; not: string }

async function expectFiring(series: Series, expected: Expected[]): Promise<void> {
  const tests = expected.map((one) => {
    const only = "not" in one ? `,alertname="${one.not}"` : ""
    const names = "not" in one ? [] : one.firing
    return {
      expr: `clamp_max(count by (alertname) (ALERTS{alertstate="firing"${only}}), 1)`,
      eval_time: one.at,
      exp_samples: names.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    }
  })
  const input = Object.entries(series).flatMap(([name, values]) =>
    values === null ? [] : [{ series: name, values }],
  )
  const file = join(folder, "case.yaml")
  const cases = [{ interval: "1m", input_series: input, promql_expr_test: tests }]
  await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests: cases }))
  await run(promtool, ["test", "rules", file]).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}${error.stderr}`)
  })
}
