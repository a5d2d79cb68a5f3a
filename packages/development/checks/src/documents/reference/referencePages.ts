import type { Reference } from "@sitewire/cli/reference"
import { localVariables } from "@sitewire/local/config"
import { describeVariables } from "@sitewire/runtime"
import { commandsPage } from "./commands.ts"
import { configurationPage } from "./configuration.ts"
import { logsPage } from "./logs/logsPage.ts"
import type { ProcessLogEvent } from "./logs/readProcessLogs.ts"
import { manualPage } from "./manualPage.ts"
import { metricsPage, type ProcessMetrics } from "./metrics.ts"
import { problemsPage } from "./problems.ts"
import type { CommandHelp } from "./readCommands.ts"
import type { ProcessVariables } from "./readProcesses.ts"
import { schemaFiles } from "./schemaFiles.ts"
import { topicsPage } from "./topics.ts"

const notice = "Written by `npm run docs` from the code. Do not edit."

export function referencePages(code: {
  processes: readonly ProcessVariables[]
  metrics: readonly ProcessMetrics[]
  logs: readonly ProcessLogEvent[]
  sitewire: CommandHelp
  reference: Reference
}): Map<string, string> {
  const pages = {
    configuration: configurationPage(code.processes, describeVariables(localVariables)),
    topics: topicsPage(),
    metrics: metricsPage(code.metrics),
    logs: logsPage(code.logs),
    cli: commandsPage(code.sitewire, code.reference),
    problems: problemsPage(),
  }
  const manual = `.\\" ${notice}\n${manualPage(code.sitewire, code.reference)}\n`
  return new Map([
    ...Object.entries(pages).map(
      ([name, page]) => [`docs/reference/${name}.md`, `<!-- ${notice} -->\n\n${page}\n`] as const,
    ),
    ["docs/reference/sitewire.1", manual],
    ...schemaFiles(),
  ])
}

export function findOutdated(
  generated: ReadonlyMap<string, string>,
  texts: ReadonlyMap<string, string>,
): string[] {
  return [...generated]
    .filter(([path, text]) => texts.get(path) !== text)
    .map(([path]) => `${path} is out of date: run npm run docs`)
}
