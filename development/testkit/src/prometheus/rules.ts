import { readFile } from "node:fs/promises"
import { parse } from "yaml"

export const monitoringFolder = new URL("../../../../deploy/monitoring/", import.meta.url)

export type Alert = {
  alert: string
  expr: string
  for?: string
  labels: { severity: "critical" | "warning" }
  annotations: { summary: string; description: string; runbook_url: string }
}
type Recording = { record: string; expr: string }
type Rules = { groups: { name: string; rules: (Alert | Recording)[] }[] }

/** The rules as a Prometheus without an operator reads them: what is in `spec` of the resource. */
export async function readRules(): Promise<string> {
  const resource = await readFile(new URL("prometheusrule.yaml", monitoringFolder), "utf8")
  const [, rules = ""] = resource.split(/^spec:\n/m)
  return rules.replaceAll(/^ {2}/gm, "")
}

export async function readAlerts(): Promise<Alert[]> {
  const { groups } = parse(await readRules()) as Rules
  return groups.flatMap(({ rules }) => rules).filter((rule) => "alert" in rule)
}
