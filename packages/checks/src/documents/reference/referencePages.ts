import { localVariables } from "@sitewire/local/config"
import { describeVariables } from "@sitewire/runtime"
import { commandsPage } from "./commands.ts"
import { configurationPage } from "./configuration.ts"
import { metricsPage, type ProcessMetrics } from "./metrics.ts"
import { problemsPage } from "./problems.ts"
import type { CommandHelp } from "./readCommands.ts"
import type { ProcessVariables } from "./readProcesses.ts"
import { schemaFiles } from "./schemaFiles.ts"
import { topicsPage } from "./topics.ts"

const notice = "<!-- Written by `npm run docs` from the code. Do not edit. -->"

export function referencePages(code: {
  processes: readonly ProcessVariables[]
  metrics: readonly ProcessMetrics[]
  sitewire: CommandHelp
}): Map<string, string> {
  const pages = {
    configuration: configurationPage(code.processes, describeVariables(localVariables)),
    topics: topicsPage(),
    metrics: metricsPage(code.metrics),
    cli: commandsPage(code.sitewire),
    problems: problemsPage(),
  }
  return new Map([
    ...Object.entries(pages).map(
      ([name, text]) => [`docs/reference/${name}.md`, `${notice}\n\n${text}\n`] as const,
    ),
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
