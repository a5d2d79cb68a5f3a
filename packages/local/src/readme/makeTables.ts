import { defaultRetryDelays, defaultRetryPeriod, parseDuration, topicCatalogue } from "@sitewire/contracts"
import type { VariableDescription } from "@sitewire/runtime"
import { markdownTable } from "./markdownTable.ts"
import type { ProcessVariables } from "./readProcesses.ts"

const dayMs = 86_400_000

/** The README's generated tables, by the names in their markers. */
export function makeTables(
  processes: readonly ProcessVariables[],
  local: readonly VariableDescription[],
): Map<string, string> {
  const tables = new Map<string, string>()
  tables.set("topics", topicTable())
  tables.set("shared", sharedTable(processes))
  for (const { name, variables } of processes) {
    const own = variables.filter((variable) => readers(processes, variable).length === 1)
    tables.set(name, variableTable(own))
  }
  tables.set("local", variableTable(local))
  return tables
}

function topicTable(): string {
  const topics = topicCatalogue({
    prefix: "",
    retryDelaysMs: defaultRetryDelays.map(parseDuration),
    retryPeriodMs: parseDuration(defaultRetryPeriod),
  })
  return markdownTable(
    ["topic", "what it holds", "key", "partitions", "cleanup", "kept", "time stamp"],
    topics.map(({ name, purpose, key, partitions, cleanup, retentionMs, timestamp }) => [
      `\`${name}\``,
      purpose,
      key,
      String(partitions),
      cleanup,
      kept(retentionMs),
      timestamp,
    ]),
  )
}

function kept(ms: number): string {
  const days = Math.floor(ms / dayMs)
  const hours = (ms - days * dayMs) / 3_600_000
  return [days > 0 ? `${days} d` : "", hours > 0 ? `${hours} h` : ""].filter((part) => part !== "").join(" ")
}

/** Variables that several processes read with the same meaning and default, each once. */
function sharedTable(processes: readonly ProcessVariables[]): string {
  const seen = new Set<string>()
  const rows = processes.flatMap(({ variables }) =>
    variables.flatMap((variable) => {
      const names = readers(processes, variable)
      if (names.length === 1 || seen.has(identity(variable))) return []
      seen.add(identity(variable))
      return [[...cells(variable), names.length === processes.length ? "all" : names.join(", ")]]
    }),
  )
  return markdownTable(["variable", "default", "meaning", "read by"], rows)
}

function variableTable(variables: readonly VariableDescription[]): string {
  return markdownTable(["variable", "default", "meaning"], variables.map(cells))
}

function readers(processes: readonly ProcessVariables[], variable: VariableDescription): string[] {
  const same = (other: VariableDescription) => identity(other) === identity(variable)
  return processes.filter(({ variables }) => variables.some(same)).map(({ name }) => name)
}

const identity = (variable: VariableDescription) => JSON.stringify(variable)

function cells({ name, description, fallback, required, secret }: VariableDescription): string[] {
  const value = required ? "required" : fallback ? `\`${fallback}\`` : "not set"
  return [`\`${name}\``, value, secret ? `${description} **Secret.**` : description]
}
