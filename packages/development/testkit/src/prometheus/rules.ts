import { readFile } from "node:fs/promises"
import { parse } from "yaml"

export const monitoringFolder = new URL("../../../../../deploy/monitoring/", import.meta.url)
export const rulesFile = new URL("rules.yaml", monitoringFolder)

export type Alert = {
  alert: string
  expr: string
  for?: string
  labels: { severity: "critical" | "warning" }
  annotations: { summary: string; description: string; runbook_url: string }
}
type Recording = { record: string; expr: string }
type Rules = { groups: { name: string; rules: (Alert | Recording)[] }[] }

export async function readAlerts(): Promise<Alert[]> {
  const { groups } = parse(await readFile(rulesFile, "utf8")) as Rules
  return groups.flatMap(({ rules }) => rules).filter((rule) => "alert" in rule)
}

/** The rules as the resource that Prometheus's operator reads. */
export async function prometheusRule(): Promise<string> {
  const [, groups = ""] = (await readFile(rulesFile, "utf8")).split(/^groups:\n/m)
  return `# Written by \`node packages/development/checks/src/documents/writeReferences.ts\` from rules.yaml; not to be edited.
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: sitewire
  labels:
    app.kubernetes.io/part-of: sitewire
spec:
  groups:
${groups.replaceAll(/^(?=.)/gm, "  ")}`
}
