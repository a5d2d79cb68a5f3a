import { posix } from "node:path"
import { withFolders } from "../links/findDeadLinks.ts"
import type { Page } from "../page.ts"
import { findNames, type MetricName, type Name } from "./findNames.ts"

export type CommandNames = {
  name: string
  aliases?: readonly string[]
  options: readonly string[]
  subcommands: readonly CommandNames[]
}

export type KnownNames = {
  scripts: ReadonlySet<string>
  sitewire: CommandNames
  metrics: ReadonlyMap<string, readonly string[]>
  variables: ReadonlySet<string>
  /** Tracked files, relative to the repository's folder. */
  files: readonly string[]
}

export function findUnknownNames(page: Page, known: KnownNames): string[] {
  const existing = new Set(known.files.flatMap(withFolders))
  const baseNames = new Set(known.files.map((path) => posix.basename(path)))
  const folders = [...existing].filter((path) => !path.includes("/") && !known.files.includes(path))
  const found = findNames(page, folders)
  const unless = (names: readonly Name[], exists: (text: string) => boolean, what: string) =>
    names
      .filter(({ text }) => !exists(text))
      .map(({ text, line }) => `${page.path}:${line}: ${what.replace("NAME", text)}`)
  const pathExists = (path: string) =>
    path.includes("/")
      ? existing.has(path) || existing.has(posix.join(posix.dirname(page.path), path))
      : baseNames.has(path)
  return [
    ...unless(found.scripts, (text) => known.scripts.has(text), "no package.json has a script NAME"),
    ...unless(found.paths, pathExists, "there is no file or folder NAME"),
    ...unless(found.variables, (text) => known.variables.has(text), "no process reads a variable NAME"),
    ...found.metrics.flatMap((metric) => unknownMetric(page, metric, known.metrics)),
    ...found.commands.flatMap(({ text, line }) => {
      const problem = findCommandProblem(text, known.sitewire)
      return problem === null ? [] : [`${page.path}:${line}: ${problem}`]
    }),
  ]
}

const everyMetric = ["le", "service"]

function unknownMetric(
  { path }: Page,
  { text, line, labels }: MetricName,
  metrics: KnownNames["metrics"],
): string[] {
  const known = metrics.get(text) ?? metrics.get(text.replace(/_(?:bucket|count|sum)$/, ""))
  if (known === undefined) return [`${path}:${line}: no process has a metric ${text}`]
  return labels
    .filter((label) => !known.includes(label) && !everyMetric.includes(label))
    .map((label) => `${path}:${line}: the metric ${text} has no label ${label}`)
}

/** A word in place of a value that the reader chooses: `ID`, `CHANNEL`, `<id>`, `"$ID"`, `…`. */
const placeholder = /^(?:[A-Z<"'$[…]|\.\.\.)/

function findCommandProblem(line: string, sitewire: CommandNames): string | null {
  let command = sitewire
  let path = "sitewire"
  for (const word of line.split(/\s+/)) {
    const subcommand = command.subcommands.find(
      ({ name, aliases }) => name === word || aliases?.includes(word),
    )
    if (subcommand) {
      command = subcommand
      path += ` ${word}`
      continue
    }
    if (word.startsWith("--") && word !== "--") {
      const option = word.replace(/=.*/, "").replace(/[^\w-]+$/, "")
      if (![...command.options, ...sitewire.options, "--help"].includes(option)) {
        return `${path} has no option ${option}`
      }
      continue
    }
    const needsSubcommand = command.subcommands.length > 0 && word !== "" && !word.startsWith("-")
    if (needsSubcommand && !placeholder.test(word)) return `there is no command ${path} ${word}`
  }
  return null
}
