import { markdownTable } from "./markdownTable.ts"
import type { OwnedMetric } from "./readMetrics.ts"

export function metricsPage(metrics: readonly OwnedMetric[]): string {
  const tables = [...Map.groupBy(metrics, ({ owner }) => owner)].flatMap(([owner, own]) => [
    `## ${owner}`,
    markdownTable(
      ["metric", "type", "labels", "meaning"],
      own.map(({ name, type, labels, help }) => [
        `\`${name}\``,
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
