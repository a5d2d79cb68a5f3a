import { markdownTable } from "../markdownTable.ts"
import { fieldMeanings, fieldsOf } from "./fieldMeanings.ts"
import type { ProcessLogEvent } from "./readProcessLogs.ts"

const severities = ["fatal", "error", "warn", "info", "debug"]

export function logsPage(events: readonly ProcessLogEvent[]): string {
  const shared = events.filter(({ processes }) => processes.length > 1)
  const owners = [...new Set(events.flatMap(({ processes }) => processes))]
  const own = owners.flatMap((owner) => [
    `## ${owner}`,
    table(events.filter(({ processes }) => processes.join() === owner)),
  ])
  return [
    "# Log events",
    "Each process writes one JSON object per line to standard output. `LOG_LEVEL` is the lowest level that is written.",
    'Search for the message in `msg`: it is constant, and what varies is in the fields. For example, `jq \'select(.msg == "attempt made" and .channel == "acme")\'`.',
    "No line contains a secret, a token, an e-mail address, the body of a request or a record.",
    "No line has more than 16,000 bytes, because container runtimes split lines at 16 KiB. The texts and lists of a longer line are cut, and end with how much is missing, such as `… (1200 characters were cut)`.",
    `[Fields](#fields) explains every field. Every line has \`level\`, \`time\`, \`service\` and \`msg\`.`,
    "| level | meaning |\n| --- | --- |\n" +
      "| `fatal` | the process ends |\n" +
      "| `error` | something that should always work has failed |\n" +
      "| `warn` | something outside failed, or was lost and is repeated; look into it if it continues |\n" +
      "| `info` | what happened |\n" +
      "| `debug` | what is too frequent for normal operation, or what readiness and metrics report anyway |",
    "## Several processes",
    table(shared, true),
    ...own,
    "## Fields",
    markdownTable(
      ["field", "meaning"],
      fieldsOf(events).map((field) => [`\`${field}\``, fieldMeanings[field] ?? ""]),
    ),
  ].join("\n\n")
}

function table(events: readonly ProcessLogEvent[], withProcesses = false): string {
  const rows = events
    .toSorted((a, b) => severity(a) - severity(b))
    .map(({ levels, message, fields, source, processes }) => [
      levels.join(", "),
      message,
      fields.map((field) => `\`${field}\``).join(", "),
      ...(withProcesses ? [processes.join(", ")] : []),
      `[${source.split("/").at(-1)}](../../${source})`,
    ])
  const head = ["level", "message", "fields", ...(withProcesses ? ["processes"] : []), "source"]
  return markdownTable(head, rows)
}

const severity = ({ levels }: ProcessLogEvent) => severities.indexOf(levels[0] ?? "debug")
