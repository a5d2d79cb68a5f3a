import { readFile } from "node:fs/promises"
import { markdownTable } from "./markdownTable.ts"
import { type Metric, readMetrics } from "./readMetrics.ts"

export type ProcessMetrics = { name: string; metrics: Metric[] }

const sources = {
  "every process": "packages/runtime/",
  "trigger-gateway": "services/trigger-gateway/",
  "sync-scheduler": "services/sync-scheduler/",
  "webhook-dispatcher": "services/webhook-dispatcher/",
  console: "packages/console/",
}

export async function readProcessMetrics(root: URL, files: readonly string[]): Promise<ProcessMetrics[]> {
  return Promise.all(
    Object.entries(sources).map(async ([name, folder]) => {
      const own = files.filter(
        (path) => path.startsWith(`${folder}src/`) && path.endsWith(".ts") && !path.endsWith(".test.ts"),
      )
      const texts = await Promise.all(own.map((path) => readFile(new URL(path, root), "utf8")))
      return { name, metrics: texts.flatMap(readMetrics) }
    }),
  )
}

export function metricsPage(processes: readonly ProcessMetrics[]): string {
  const tables = processes.flatMap(({ name, metrics }) => [
    `## ${name}`,
    markdownTable(
      ["metric", "type", "labels", "meaning"],
      metrics.map(({ name: metric, type, labels, help }) => [
        `\`${metric}\``,
        type,
        labels.map((label) => `\`${label}\``).join(", "),
        help,
      ]),
    ),
  ])
  return [
    "# Metrics",
    "Each process serves `/metrics` on `OPS_PORT`, in the text format of Prometheus. Each metric also has the " +
      "label `service`, and each process adds the metrics of Node.js itself (`nodejs_…`, `process_…`). The " +
      "[runbook](../operators/runbook.md#alerts) explains the alerts on them.",
    ...tables,
  ].join("\n\n")
}
