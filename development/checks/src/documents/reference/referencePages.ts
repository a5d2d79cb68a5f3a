import { shownTo } from "@sitewire/console"
import { formOfScope, problemCodes, scopeCatalogue, scopeNames } from "@sitewire/contracts"
import { type Route, routes } from "@sitewire/contracts/routes"
import { localVariables } from "@sitewire/local/config"
import { describeVariables } from "@sitewire/runtime"
import { configurationPage } from "./configuration.ts"
import { markdownTable } from "./markdownTable.ts"
import type { OwnedMetric } from "./readMetrics.ts"
import type { ProcessVariables } from "./readProcesses.ts"
import type { Reference } from "./readReference.ts"
import { topicsPage } from "./topics.ts"

const notice = "Written by `npm run docs` from the code. Do not edit."

export function referencePages(code: {
  processes: readonly ProcessVariables[]
  metrics: readonly OwnedMetric[]
  help: ReadonlyMap<string, string>
  reference: Reference
}): Map<string, string> {
  const pages = {
    configuration: configurationPage(code.processes, describeVariables(localVariables)),
    topics: topicsPage(),
    metrics: metricsPage(code.metrics),
    cli: commandsPage(code.help, code.reference),
    problems: problemsPage(),
    scopes: scopesPage(),
  }
  return new Map(
    Object.entries(pages).map(
      ([name, page]) => [`docs/reference/${name}.md`, `<!-- ${notice} -->\n\n${page}\n`] as const,
    ),
  )
}

/** `help`: what `--help` prints, by the command. */
function commandsPage(help: ReadonlyMap<string, string>, { commands, types }: Reference): string {
  const section = (path: string) => [`## ${path}`, code("text", help.get(path)?.trimEnd() ?? "")]
  return [
    "# Commands",
    "What `sitewire --help` and the `--help` of each command print. In a clone of the repository, `sitewire` is " +
      "`npm run --silent sitewire --`.",
    "With `--json`, a command prints one value of the type below it, in TypeScript's notation; the named types are at " +
      "the [end](#json-types). Later versions may add fields. An error is a problem document, or " +
      "`{ type: string, title: string, exit_code: number }`, on standard error.",
    ...section("sitewire"),
    ...commands.flatMap(({ path, json }) => [...section(path), describe(json)]),
    "## JSON types",
    code("ts", [...types].map(([name, text]) => `type ${name} = ${text}`).join("\n\n")),
  ].join("\n\n")
}

function describe({ text, isType }: Reference["commands"][number]["json"]): string {
  return isType ? `\`--json\`:\n\n${code("ts", text)}` : `\`--json\`: ${text}`
}

function code(language: string, text: string): string {
  return `\`\`\`${language}\n${text}\n\`\`\``
}

function metricsPage(metrics: readonly OwnedMetric[]): string {
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

function problemsPage(): string {
  const sections = Object.entries(problemCodes).map(
    ([code, { status, meaning, remedy }]) => `## ${code}\n\n**${status}.** ${meaning} ${remedy}`,
  )
  return [
    "# Problem codes",
    "Every error response of the management API is a problem document (RFC 9457). Its `code` names the cause, and its `type` is the path of the console that explains the code. Codes keep their meaning; programs may compare them.",
    ...sections,
  ].join("\n\n")
}

/** A test of the console holds its second table against the responses of every route. */
function scopesPage(): string {
  const scopes = scopeNames.map((name) => [
    formOfScope(name),
    scopeCatalogue[name].for,
    scopeCatalogue[name].allows,
  ])
  const rows = Object.values<Route>(routes).flatMap(({ method, path, allow }) =>
    allow === "anyone"
      ? []
      : [[`\`${method.toUpperCase()} ${path}\``, ...scopeNames.map((name) => shownTo(name, allow) ?? "–")]],
  )
  return [
    "# Scopes",
    "What an API key, or a user of OpenID Connect, may do. A key has one or more scopes, and its rights are those of all of them together.",
    markdownTable(["scope", "for", "allows to"], scopes),
    "`admin` can create keys with any scope, and so give itself all others: the audit log shows it.",
    "## Routes",
    "`all`: the scope shows or changes everything that the route can. `own`: only the channel, site or connection that the scope names; of jobs, `personal-data` its erasures and `operate` all others; of deliveries, `publisher` that of an `event_id`; of keys, the key of the request. `–`: 403. What a key may not see gets the same 404 as what does not exist, and is not in lists.",
    markdownTable(["route", ...scopeNames.map((name) => `\`${name}\``)], rows),
  ].join("\n\n")
}
