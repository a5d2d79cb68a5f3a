import { mkdir, writeFile } from "node:fs/promises"
import { dashboards } from "./dashboards/dashboards.ts"
import { grafanaJson } from "./dashboards/grafanaJson.ts"
import { monitoringFolder, prometheusRule } from "./rules.ts"

await writeFile(new URL("prometheusrule.yaml", monitoringFolder), await prometheusRule())
await mkdir(new URL("dashboards/", monitoringFolder), { recursive: true })
for (const dashboard of dashboards)
  await writeFile(new URL(`dashboards/${dashboard.id}.json`, monitoringFolder), grafanaJson(dashboard))
