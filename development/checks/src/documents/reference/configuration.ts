import type { VariableDescription } from "@sitewire/runtime"
import { markdownTable } from "./markdownTable.ts"
import type { ProcessVariables } from "./readProcesses.ts"

/**
 * The page of all environment variables. Variables that several processes read come first, then each
 * process's own.
 */
export function configurationPage(
  processes: readonly ProcessVariables[],
  local: readonly VariableDescription[],
): string {
  const own = processes.flatMap(({ name, main, variables }) => [
    `## ${name}`,
    `Printed by \`node ${main} --help\`. Read by this process only:`,
    variableTable(variables.filter((variable) => readers(processes, variable).length === 1)),
  ])
  return [
    "# Configuration",
    "Each process reads its configuration from its environment and stops with an error that names every " +
      "variable that is missing or invalid. Durations are written like `500ms`, `10s`, `5m`, `6h` or `30d`.",
    "## Shared variables",
    "Read by several processes, with the same meaning and default:",
    sharedTable(processes),
    ...own,
    "## npm start",
    "Read by `npm start`, and by `npm run demo` if it starts the system:",
    variableTable(local),
  ].join("\n\n")
}

function sharedTable(processes: readonly ProcessVariables[]): string {
  const listed = new Set<string>()
  const rows = processes.flatMap(({ variables }) =>
    variables.flatMap((variable) => {
      const names = readers(processes, variable)
      if (names.length === 1 || listed.has(identity(variable))) return []
      listed.add(identity(variable))
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
