import type { Reference } from "@sitewire/cli/reference"
import { localVariables } from "@sitewire/local/config"
import { describeVariables } from "@sitewire/runtime"
import { commandsPage } from "./commands.ts"
import { configurationPage } from "./configuration.ts"
import { metricsPage } from "./metrics.ts"
import { problemsPage } from "./problems.ts"
import type { OwnedMetric } from "./readMetrics.ts"
import type { ProcessVariables } from "./readProcesses.ts"
import { scopesPage } from "./scopes.ts"
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
