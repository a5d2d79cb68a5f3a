import { readFileSync } from "node:fs"

export class InvalidSitePaidError extends Error {
  name = "InvalidSitePaidError"

  constructor(field, wrong, remedy) {
    super(`site.paid was not published: ${field} ${wrong}. ${remedy}`)
    this.field = field
  }
}

const { field: fields, header: headers } = readRules()

/** The eight fields of the event as JSON. Throws `InvalidSitePaidError`. */
export function toValue(event) {
  if (typeof event !== "object" || event === null)
    throw new TypeError("publish needs an object with the fields of SitePaid")
  return JSON.stringify(
    Object.fromEntries(fields.map((field) => [field.name, check(field, event[field.name])])),
  )
}

/** The record's headers. Throws `InvalidSitePaidError`, whose field is then the header's name. */
export function toHeaders(given) {
  const present = headers.filter(({ name }) => given[name] !== undefined)
  return Object.fromEntries(present.map((header) => [header.name, check(header, given[header.name])]))
}

function check({ name, min, max, description, checks }, value) {
  const fail = (wrong, remedy) => {
    throw new InvalidSitePaidError(name, wrong, remedy)
  }
  if (value === undefined || value === null) fail("is missing", `Set it: ${description}`)
  if (typeof value !== "string") fail("is not text", "Convert it to text.")
  if (!isWellFormed(value))
    fail("is not valid Unicode", "Decode it with the encoding in which it was written.")
  if (value.length < min) fail("is empty", `Set it: ${description}`)
  if ([...value].length > max) fail(`has more than ${max} characters`, "Shorten it.")
  for (const { pattern, matches, wrong, remedy } of checks)
    if (pattern.test(value) !== matches) fail(wrong, remedy)
  return value
}

/** Not `text.isWellFormed()`, which TypeScript knows only since ES2024. */
function isWellFormed(text) {
  return !/\p{Surrogate}/u.test(text)
}

/** The lines that kit/publish/rules.ts describes. */
function readRules() {
  const all = { field: [], header: [] }
  let checks = []
  const file = new URL("rules.tsv", import.meta.url)
  for (const line of readFileSync(file, "utf8").trim().split("\n")) {
    const [kind, first, second, third, description] = line.split("\t")
    if (kind in all) {
      checks = []
      all[kind].push({ name: first, min: Number(second), max: Number(third), description, checks })
    } else {
      checks.push({
        pattern: new RegExp(first, "u"),
        matches: kind === "match",
        wrong: second,
        remedy: third,
      })
    }
  }
  return all
}
