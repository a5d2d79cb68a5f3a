import { mkdtemp, rm } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { listen } from "@sitewire/runtime"
import { expect, onTestFinished, test } from "vitest"
import { type Dashboard, lines, number } from "../src/dashboards/dashboard.ts"
import { renderDashboard } from "../src/dashboards/render/renderDashboard.ts"
import { queryRange, readFiringAlerts } from "../src/prometheus/queryPrometheus.ts"
import { startPrometheus } from "../src/prometheus/startPrometheus.ts"

const rules = `groups:
  - name: test
    rules:
      - alert: Positive
        expr: positive > 0
`

const own = { help: "", unit: "seconds" } as const
const dashboard: Dashboard = {
  id: "test",
  title: "Test",
  panels: [
    number({ ...own, title: "Number", queries: [{ expr: "positive", legend: "" }], alertAbove: 2 }),
    lines({ ...own, title: "Lines", queries: [{ expr: "positive", legend: "from {{instance}}" }] }),
    lines({ ...own, title: "Nothing", queries: [{ expr: "absent_metric", legend: "" }] }),
  ],
}

test("Prometheus scrapes the targets, evaluates the rules, shows the values in dashboards, and ends", {
  timeout: 60_000,
}, async () => {
  const target = createServer((_, response) => response.end("positive 3\n"))
  const address = `http://127.0.0.1:${await listen(target, "127.0.0.1", 0, "the target's port")}`
  onTestFinished(() => void target.close())
  const directory = await mkdtemp(join(tmpdir(), "sitewire-prometheus-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const prometheus = await startPrometheus({
    directory,
    targets: { one: address },
    intervalSeconds: 1,
    rules,
  })
  const firing = () => readFiringAlerts(prometheus.url)
  await expect.poll(firing, { timeout: 20_000 }).toEqual(new Set(["Positive"]))
  const to = new Date()
  const period = { from: new Date(to.getTime() - 5_000), to, stepSeconds: 1 }
  const [series] = await queryRange(prometheus.url, "positive", period)
  expect(series?.labels).toMatchObject({ instance: "one", job: "sitewire" })
  expect(series?.values.at(-1)?.[1]).toBe(3)

  const rendered = await renderDashboard(prometheus.url, dashboard, { ...period, rateSeconds: 5 })
  expect(rendered.html).toContain('<div class="number bad">3 s</div>')
  expect(rendered.html).toContain("</i>from one <b>3 s</b>")
  expect(rendered.withoutData).toEqual(["absent_metric"])

  await prometheus.stop()
  await expect(firing()).rejects.toThrow()
})

test("the error of a Prometheus that cannot start contains its own", { timeout: 60_000 }, async () => {
  const directory = await mkdtemp(join(tmpdir(), "sitewire-prometheus-"))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const starting = startPrometheus({ directory, targets: {}, rules: "groups: [{}]" })
  await expect(starting).rejects.toThrow(/did not start.*rules/s)
})
