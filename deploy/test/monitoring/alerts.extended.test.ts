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

/** All are simulated at once, each in a namespace of its own: evaluating the rules costs little more for more series. */
test("each alert fires, not before its time, and only where something has failed", async () => {
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
  await expectFiring({
    // An alert without a namespace concerns no installation.
    "": { series: {}, expected: [{ at: "3h", firing: [] }] },
    healthy: { series: healthy, expected: [{ at: "3h", firing: [] }] },
    "single-failures-of-little-traffic": {
      series: { ...healthy, ...singleFailures },
      expected: ["61m", "66m", "75m", "2h"].map((at) => ({ at, firing: [] })),
    },
    // Neither its backlog nor what was overdue then pages anybody.
    "outage-that-has-ended": {
      series: { ...healthy, ...outage },
      expected: ["73m", "75m", "80m", "95m"].flatMap((at) => pages.map((not) => ({ at, not }))),
    },
    // Only a warning, because a console delivers nothing.
    "console-not-ready": {
      series: { ...healthy, [ready("console")]: "1x60 0x119" },
      expected: [
        { at: "69m", firing: [] },
        { at: "2h", firing: ["SitewireReplicaNotReady"] },
      ],
    },
    "large-and-healthy": {
      series: { ...healthy, [triggers("accepted")]: "0+600000x180" },
      expected: [{ at: "110m", firing: [] }],
    },
    failing: {
      series: {
        ...healthy,
        [triggers("unavailable")]: "0x60 60+60x119",
        [ready("webhook-dispatcher", "1")]: "1x60",
        [ready("webhook-dispatcher", "2")]: "1x60",
      },
      expected: [
        {
          at: "110m",
          firing: ["SitewireProcessMissing", "SitewireTriggersRejected", "SitewireTriggersRejectedSlowly"],
        },
      ],
    },
    ...Object.fromEntries(cases.map((one) => [one.alert, installationOf(one)])),
    ...Object.fromEntries(
      cases
        .filter(({ alert }) => alert.includes("Late"))
        .map((one) => {
          const { series, expected } = installationOf(one)
          return [`${one.alert}-prometheus-3`, { series: asStoredByPrometheus3(series), expected }]
        }),
    ),
  })
})

type Expected = { at: string; firing: string[] } | { at: string; not: string }

const installationOf = ({ alert, series, at, before, also = [] }: (typeof cases)[number]) => ({
  series: { ...healthy, ...series },
  expected: [...(before === null ? [] : [{ at: before, not: alert }]), { at, firing: [alert, ...also] }],
})

/** Prometheus 3 stores the limits of buckets as floating-point numbers. */
const asStoredByPrometheus3 = (series: Series): Series =>
  Object.fromEntries(
    Object.entries(series).map(([key, values]) => [key.replace(/le="(\d+)"/, 'le="$1.0"'), values]),
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

async function expectFiring(
  installations: Record<string, { series: Series; expected: Expected[] }>,
): Promise<void> {
  const entries = Object.entries(installations)
  const tests = entries.flatMap(([name, { expected }]) =>
    expected.map((one) => {
      const only = "not" in one ? `,alertname="${one.not}"` : ""
      const names = "not" in one ? [] : one.firing
      return {
        expr: `clamp_max(count by (alertname) (ALERTS{alertstate="firing",namespace="${name}"${only}}), 1)`,
        eval_time: one.at,
        exp_samples: names.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
      }
    }),
  )
  const input = entries.flatMap(([name, { series }]) =>
    Object.entries(series).flatMap(([key, values]) => {
      const [metric = "", labels = "}"] = key.split("{")
      return values === null ? [] : [{ series: `${metric}{namespace="${name}",${labels}`, values }]
    }),
  )
  const file = join(folder, "case.yaml")
  const all = [{ interval: "1m", input_series: input, promql_expr_test: tests }]
  await writeFile(file, stringify({ rule_files: [rulesFile], evaluation_interval: "1m", tests: all }))
  await run(promtool, ["test", "rules", file]).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`${error.stdout}${error.stderr}`)
  })
}
