import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { stringify } from "yaml"
import { findTool } from "../src/findTool.ts"
import { monitoringFolder, prometheusRule, readAlerts, rulesFile } from "../src/rules.ts"
import { cases, healthy, type Series } from "./fixtures/alertCases.ts"

const run = promisify(execFile)
const promtool = findTool("promtool")
const alerts = await readAlerts()
const root = new URL("../../../", import.meta.url)

test("the rules are valid", async () => {
  const { stdout } = await run(promtool, ["check", "rules", "--lint-fatal", fileURLToPath(rulesFile)])
  expect(stdout).toContain("SUCCESS")
})

test("every alert has a case in which it fires", () => {
  expect(cases.map(({ alert }) => alert).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted())
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

test("prometheusrule.yaml contains the same rules", async () => {
  const text = await readFile(new URL("prometheusrule.yaml", monitoringFolder), "utf8")
  expect(text, "run: node packages/monitoring/src/writeFiles.ts").toBe(await prometheusRule())
})

test("every alert names a section of the runbook, and the runbook lists every alert", async () => {
  const runbook = await readFile(new URL("docs/operators/runbook.md", root), "utf8")
  const anchors = [...runbook.matchAll(/^##+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z0-9 -]/g, "")
      .replaceAll(" ", "-"),
  )
  for (const { alert, annotations } of alerts) {
    const [page, anchor] = annotations.runbook_url.split("#")
    expect([alert, page]).toEqual([alert, "docs/operators/runbook.md"])
    expect(anchors).toContain(anchor)
    expect(runbook).toContain(`| \`${alert}\` | [`)
    expect(runbook).toContain(`(#${anchor}) |`)
  }
  const listed = [...runbook.matchAll(/^\| `(Sitewire\w+)` \|/gm)].map(([, name]) => name)
  expect(listed).toEqual(alerts.map(({ alert }) => alert))
})

test("the rules use only metrics that exist", async () => {
  const reference = await readFile(new URL("docs/reference/metrics.md", root), "utf8")
  const used = (await readFile(rulesFile, "utf8")).match(/\bsitewire_\w+/g) ?? []
  for (const name of new Set(used)) expect(reference).toContain(`\`${name.replace(/_bucket$/, "")}\``)
})

/** `expected`: the alerts that fire; null: any but `absent`. */
async function expectFiring(
  series: Series,
  at: string,
  expected: string[] | null,
  absent = "",
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-rules-"))
  onTestFinished(() => rm(folder, { recursive: true }))
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
  const file = join(folder, "case.yaml")
  await writeFile(file, text)
  await run(promtool, ["test", "rules", file]).catch((error: { stdout: string; stderr: string }) => {
    throw new Error(`at ${at}:\n${error.stdout}${error.stderr}`)
  })
}
