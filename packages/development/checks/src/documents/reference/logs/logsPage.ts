import { markdownTable } from "../markdownTable.ts"
import { fieldMeanings } from "./fieldMeanings.ts"
import type { OwnedLogEvent } from "./readLogEvents.ts"

const severities = ["fatal", "error", "warn", "info", "debug"]

export function logsPage(events: readonly OwnedLogEvent[]): string {
  const tables = [...Map.groupBy(events, ({ owner }) => owner)].flatMap(([owner, own]) => [
    `## ${owner}`,
    table(own),
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
    ...tables,
    "## Fields",
    markdownTable(
      ["field", "meaning"],
      [...new Set(events.flatMap(({ fields }) => fields))].toSorted().map(explain),
    ),
  ].join("\n\n")
}

function explain(field: string): string[] {
  const meaning = fieldMeanings[field]
  if (!meaning) throw new Error(`fieldMeanings.ts does not explain the field ${field}`)
  return [`\`${field}\``, meaning]
}

function table(events: readonly OwnedLogEvent[]): string {
  const rows = events
    .toSorted((a, b) => severity(a) - severity(b))
    .map(({ levels, message, fields, source }) => [
      levels.join(", "),
      message,
      fields.map((field) => `\`${field}\``).join(", "),
      `[${source.split("/").at(-1)}](../../${source})`,
    ])
  return markdownTable(["level", "message", "fields", "source"], rows)
}

const severity = ({ levels }: OwnedLogEvent) => severities.indexOf(levels[0] ?? "debug")
