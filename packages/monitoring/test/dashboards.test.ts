import { execFile } from "node:child_process"
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { expect, onTestFinished, test } from "vitest"
import { stringify } from "yaml"
import { dashboards } from "../src/dashboards/dashboards.ts"
import { grafanaJson } from "../src/dashboards/grafanaJson.ts"
import { placePanels } from "../src/dashboards/placePanels.ts"
import { findTool } from "../src/findTool.ts"
import { monitoringFolder } from "../src/rules.ts"

const panels = dashboards.flatMap((dashboard) => dashboard.panels)
const expressions = panels.flatMap(({ queries }) => queries.map(({ expr }) => expr))

test("the files for Grafana are those of the definitions", async () => {
  const folder = new URL("dashboards/", monitoringFolder)
  expect((await readdir(folder)).toSorted()).toEqual(dashboards.map(({ id }) => `${id}.json`).toSorted())
  for (const dashboard of dashboards) {
    const text = await readFile(new URL(`${dashboard.id}.json`, folder), "utf8")
    expect(text, "run: node packages/monitoring/src/writeFiles.ts").toBe(grafanaJson(dashboard))
  }
})

test("every query is valid PromQL", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-dashboards-"))
  onTestFinished(() => rm(folder, { recursive: true }))
  const rules = expressions.map((expr, at) => ({
    record: `query_${at}`,
    expr: expr.replaceAll("$rate", "1m"),
  }))
  const file = join(folder, "queries.yaml")
  await writeFile(file, stringify({ groups: [{ name: "queries", rules }] }))
  const { stdout } = await promisify(execFile)(findTool("promtool"), ["check", "rules", file])
  expect(stdout).toContain(`SUCCESS: ${expressions.length} rules found`)
})

test("the queries use only metrics that exist", async () => {
  const reference = await readFile(new URL("../../../docs/reference/metrics.md", import.meta.url), "utf8")
  const documented = [...reference.matchAll(/^\| `(sitewire_\w+)` \|/gm)].map(([, name = ""]) => name)
  const used = new Set(
    expressions
      .flatMap((expr) => expr.match(/\bsitewire_\w+/g) ?? [])
      .map((name) => name.replace(/_bucket$/, "")),
  )
  expect([...used].filter((name) => !documented.includes(name))).toEqual([])
})

test("panels do not overlap, and fill each row", () => {
  for (const { panels } of dashboards) {
    const rows = Map.groupBy(placePanels(panels), ({ y }) => y)
    for (const row of rows.values()) {
      expect(row.reduce((sum, { w }) => sum + w, 0)).toBe(24)
      expect(new Set(row.map(({ h }) => h)).size).toBe(1)
    }
  }
})
