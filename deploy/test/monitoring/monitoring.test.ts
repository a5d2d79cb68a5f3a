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

test("every alert names the section of the runbook that names the alert, and whether it is critical", async () => {
  const runbook = await readFile(new URL("docs/operators/runbook.md", root), "utf8")
  const page = "https://docs.example/sitewire/docs/operators/runbook.md"
  const listed = runbook.split(/^##+ /m).flatMap((section) => {
    const anchor = section.slice(0, section.indexOf("\n")).toLowerCase().replaceAll(" ", "-")
    const [critical = ""] = /^[^.]* \(critical\)/m.exec(section) ?? []
    return [...section.matchAll(/`(Sitewire\w+)`/g)].map(([quoted, alert = ""]) =>
      [alert, critical.includes(quoted) ? "critical" : "warning", `${page}#${anchor}`].join(" "),
    )
  })
  const alerting = alerts.map(({ alert, labels, annotations }) =>
    [alert, labels.severity, annotations.runbook_url].join(" "),
  )
  expect(listed.toSorted()).toEqual(alerting.toSorted())
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
