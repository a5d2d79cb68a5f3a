import { readdir, readFile } from "node:fs/promises"
import { monitoringFolder } from "@sitewire/testkit/prometheus"

type Dashboard = { panels: { targets?: { expr: string }[] }[] }

/** The PromQL of every panel of every dashboard. */
export async function dashboardExpressions(): Promise<string[]> {
  const folder = new URL("dashboards/", monitoringFolder)
  const names = (await readdir(folder)).filter((name) => name.endsWith(".json"))
  const files = names.map((name) => readFile(new URL(name, folder), "utf8"))
  return (await Promise.all(files)).flatMap((text) => {
    const { panels } = JSON.parse(text) as Dashboard
    return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
  })
}
