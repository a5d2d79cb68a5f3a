import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { needs } from "@sitewire/testkit/needs"
import { findTool, rulesFile } from "@sitewire/testkit/prometheus"
import { expect, onTestFinished, test } from "vitest"
import { stringify } from "yaml"
import { cases, healthy, type Series } from "./alertCases.ts"
import { dashboardExpressions } from "./dashboardExpressions.ts"

const run = promisify(execFile)
const promtool = needs(() => findTool("promtool")) ?? ""

test("the rules are valid", async () => {
  const { stdout } = await run(promtool, ["check", "rules", "--lint-fatal", fileURLToPath(rulesFile)])
  expect(stdout).toContain("SUCCESS")
})

test("a healthy installation fires no alert", async () => {
  await expectFiring(healthy, "3h", [])
})

test.each(cases)("$alert fires, and not before its time", async ({ series, at, before, also = [] }) => {
  const name = expect.getState().currentTestName?.split(" ")[0] ?? ""
  const all = { ...healthy, ...series }
  if (before !== null) await expectFiring(all, before, null, name)
  await expectFiring(all, at, [name, ...also])
})

test("every query of the dashboards is valid PromQL", async () => {
  const expressions = await dashboardExpressions()
  const rules = expressions.map((expr, at) => ({
    record: `query_${at}`,
    expr: expr.replaceAll("$__rate_interval", "1m"),
  }))
  const file = await temporaryFile("queries.yaml", stringify({ groups: [{ name: "queries", rules }] }))
  const { stdout } = await run(promtool, ["check", "rules", file])
  expect(stdout).toContain(`SUCCESS: ${expressions.length} rules found`)
})

async function temporaryFile(name: string, text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-rules-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, name)
  await writeFile(file, text)
  return file
}

/** `expected`: the alerts that fire; null: any but `absent`. */
async function expectFiring(
  series: Series,
  at: string,
  expected: string[] | null,
  absent = "",
): Promise<void> {
  const firing = `count by (alertname) (ALERTS{alertstate="firing"${absent && `,alertname="${absent}"`}})`
  const samples = expected ?? []
  const text = stringify({
    rule_files: [fileURLToPath(rulesFile)],
    evaluation_interval: "1m",
    tests: [
      {
        interval: "1m",
        input_series: Object.entries(series).flatMap(([name, values]) =>
          values === null ? [] : [{ series: name, values }],
        ),
        promql_expr_test: [
          {
            expr: `clamp_max(${firing}, 1)`,
            eval_time: at,
            exp_samples: samples.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
          },
        ],
      },
    ],
  })
  const file = await temporaryFile("case.yaml", text)
  await run(promtool, ["test", "rules", file]).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`at ${at}:\n${error.stdout}${error.stderr}`)
  })
}
