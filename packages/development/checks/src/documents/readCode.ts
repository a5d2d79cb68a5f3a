import { readFile } from "node:fs/promises"
import { type Reference, readReference } from "@sitewire/cli/reference"
import { localVariables } from "@sitewire/local/config"
import { describeVariables } from "@sitewire/runtime"
import type { KnownNames } from "./names/findUnknownNames.ts"
import { type ProcessLogEvent, readProcessLogs } from "./reference/logs/readProcessLogs.ts"
import { type ProcessMetrics, readProcessMetrics } from "./reference/metrics.ts"
import { type CommandHelp, readCommands } from "./reference/readCommands.ts"
import { type ProcessVariables, readProcesses } from "./reference/readProcesses.ts"

/** Facts of the code. Documents are compared with them, and the generated pages are written from them. */
export type Code = {
  processes: ProcessVariables[]
  metrics: ProcessMetrics[]
  logs: ProcessLogEvent[]
  sitewire: CommandHelp
  reference: Reference
}

export async function readCode(root: URL, files: readonly string[]): Promise<Code> {
  const [processes, metrics, logs] = await Promise.all([
    readProcesses(root),
    readProcessMetrics(root, files),
    readProcessLogs(root, files),
  ])
  return { processes, metrics, logs, sitewire: readCommands(), reference: readReference() }
}

export async function readKnownNames(
  root: URL,
  { files, code }: { files: readonly string[]; code: Code },
): Promise<KnownNames> {
  const manifests = await Promise.all(
    files
      .filter((path) => /(^|\/)package\.json$/.test(path))
      .map((path) => readFile(new URL(path, root), "utf8")),
  )
  const declared = [
    ...code.processes.flatMap(({ variables }) => variables),
    ...describeVariables(localVariables),
  ]
  return {
    scripts: new Set(manifests.flatMap((text) => Object.keys(JSON.parse(text).scripts ?? {}))),
    sitewire: code.sitewire,
    metrics: new Map<string, readonly string[]>([
      ...code.metrics.flatMap(({ metrics }) => metrics.map(({ name, labels }) => [name, labels] as const)),
      // A default, such as that of OIDC_SCOPES_CLAIM, can look like a metric.
      ...declared.flatMap(({ fallback }) => (fallback === null ? [] : [[fallback, []] as const])),
    ]),
    variables: new Set([...declared.map(({ name }) => name), ...(await readOtherVariables(root, files))]),
    files,
  }
}

/** Names in the form of variables, from all sources but tests. */
async function readOtherVariables(root: URL, files: readonly string[]): Promise<string[]> {
  const sources = files.filter(
    (path) =>
      /(\.(ts|mjs|sh|yaml|py|hcl)|\/Dockerfile|^\.ci\/run)$/.test(path) &&
      !/\.test\.ts$|\/test\/|^packages\/(mutants|checks)\//.test(path),
  )
  const texts = await Promise.all(sources.map((path) => readFile(new URL(path, root), "utf8")))
  return texts.flatMap((text) => text.match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [])
}
