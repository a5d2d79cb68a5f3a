import { readFile } from "node:fs/promises"
import { readAlerts, readRules } from "@sitewire/testkit/prometheus"
import { expect, test } from "vitest"
import { cases } from "./alertCases.ts"
import { dashboardExpressions } from "./dashboardExpressions.ts"

const root = new URL("../../../", import.meta.url)
const alerts = await readAlerts()

test("every alert has a case in which it fires", () => {
  expect(cases.map(({ alert }) => alert).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted())
})

test("every aggregation keeps installations in several namespaces apart", async () => {
  const expressions = (await readRules()).replaceAll(/absent\([^)]*\)\)/g, "")
  const aggregations = expressions.match(/\b(sum|max|min|count|avg|group)\b(?! by \(namespace)/g)
  expect(aggregations).toBeNull()
  for (const expression of await dashboardExpressions())
    expect(
      expression.match(/\b(sitewire|process|nodejs)_\w+(?!\w|\{[^}]*namespace=~"\$namespace")/),
    ).toBeNull()
})

test("every alert on a share needs a number of failures", async () => {
  const shares = alerts.filter(({ expr }) => /:ratio_|\/ sum|histogram_quantile/.test(expr))
  expect(shares.length).toBeGreaterThan(4)
  for (const { alert, expr } of shares)
    expect([alert, expr]).toEqual([
      alert,
      expect.stringMatching(/\band\s+sum by .*\bincrease\([\s\S]*> \d+\s*$/),
    ])
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
    expect([alert, page]).toEqual([alert, "https://docs.example/sitewire/docs/operators/runbook.md"])
    expect(anchors).toContain(anchor)
    expect(runbook).toContain(`| \`${alert}\` | [`)
    expect(runbook).toContain(`(#${anchor}) |`)
  }
  const listed = [...runbook.matchAll(/^\| `(Sitewire\w+)` \|/gm)].map(([, name]) => name)
  expect(listed).toEqual(alerts.map(({ alert }) => alert))
})

test("alerts and dashboards use only metrics that exist", async () => {
  const reference = await readFile(new URL("docs/reference/metrics.md", root), "utf8")
  const documented = [...reference.matchAll(/^\| `(sitewire_\w+)` \|/gm)].map(([, name = ""]) => name)
  const expressions = await dashboardExpressions()
  expect(expressions.length).toBeGreaterThan(30)
  const used = [await readRules(), ...expressions]
    .flatMap((text) => text.match(/\bsitewire_\w+/g) ?? [])
    .map((name) => name.replace(/_bucket$/, ""))
  expect(used.filter((name) => !documented.includes(name))).toEqual([])
})
