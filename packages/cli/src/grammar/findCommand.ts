import { type CliCommand, type CommandGroup, isGroup } from "../command.ts"
import { pluralOf } from "./pluralOf.ts"

type Entry = CliCommand | CommandGroup

/** Verbs that people know from other tools, and those of this one. */
const synonyms: Record<string, readonly string[]> = {
  list: ["ls", "all", "search", "find", "index"],
  show: ["get", "describe", "view", "read", "info", "inspect"],
  create: ["add", "new", "make", "generate"],
  add: ["create", "new"],
  delete: ["remove", "rm", "destroy", "del"],
  remove: ["delete", "rm", "destroy", "del"],
  revoke: ["delete", "remove", "rm", "destroy", "del"],
  update: ["edit", "set", "change", "patch", "modify"],
  resend: ["retry", "redeliver", "send"],
  publish: ["send", "emit"],
  use: ["switch", "select"],
}

/**
 * The command that the user probably meant by these words, such as `sitewire delivery list` for
 * `list deliveries`. Null: no guess.
 */
export function findCommand(commands: readonly Entry[], words: readonly string[]): string | null {
  const visible = commands.filter((entry) => !(isGroup(entry) && entry.hidden))
  const [first = "", second = ""] = words.map((word) => word.toLowerCase())
  const swapped = second === "" ? null : match(visible, second, "exact")
  const path =
    (swapped && swap(swapped, first)) ?? descendFrom(visible, words) ?? onlyWithVerb(visible, first)
  return path && ["sitewire", ...path].join(" ")
}

/** `list deliveries` is `delivery list`, and `event trigger` is `trigger`, which has no noun. */
function swap(entry: Entry, word: string): string[] | null {
  return isGroup(entry) ? descend(entry, [word]) : [entry.name]
}

/** `test` is `channel test`, because no other noun has this verb. */
function onlyWithVerb(entries: readonly Entry[], verb: string): string[] | null {
  const found = entries.filter(isGroup).filter(({ commands }) => match(commands, verb, "exact"))
  return found[0] && found.length === 1 ? [found[0].name, verb] : null
}

function descendFrom(entries: readonly Entry[], words: readonly string[]): string[] | null {
  const entry = match(entries, words[0] ?? "", "similar")
  return entry && (descend(entry, words.slice(1)) ?? [entry.name])
}

function descend(entry: Entry, words: readonly string[]): string[] | null {
  if (!isGroup(entry) || words.length === 0) return null
  const path = descendFrom(entry.commands, words)
  return path && [entry.name, ...path]
}

function match(entries: readonly Entry[], text: string, how: "exact" | "similar"): Entry | null {
  const word = text.toLowerCase()
  const exact = entries.find(({ name }) => name === word || pluralOf(name) === word)
  if (exact || how === "exact") return exact ?? null
  const sameMeaning = entries.find(({ name }) => synonyms[name]?.includes(word))
  return sameMeaning ?? closest(entries, word)
}

function closest(entries: readonly Entry[], word: string): Entry | null {
  const ranked = entries
    .map((entry) => {
      const distances = [entry.name, pluralOf(entry.name) ?? entry.name].map((name) =>
        differentLetters(word, name),
      )
      return { entry, distance: Math.min(...distances) }
    })
    .sort((one, other) => one.distance - other.distance)
  const [best] = ranked
  return best && best.distance <= Math.min(2, word.length / 2) ? best.entry : null
}

/** How many letters to insert, delete or replace (Levenshtein). */
function differentLetters(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, otherLetter] of [...other].entries()) {
      const replaced = (row[j] ?? 0) + (letter === otherLetter ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row[other.length] ?? 0
}
