import { readFileSync } from "node:fs"
import { join } from "node:path"

/**
 * What docs/partners/receive.md says that a receiver responds to each delivery, by the delivery's name: the rows `| delivery | response |`. A
 * response is a status, or `413, or a closed connection`.
 */
export function readPromised(): Map<string, string[]> {
  const page = readFileSync(join(import.meta.dirname, "../../docs/partners/receive.md"), "utf8")
  const [, rows = ""] = /^\| delivery \| response \|\n\|[-| ]+\|\n((?:\|.*\n)+)/m.exec(page) ?? []
  const cells = rows
    .trimEnd()
    .split("\n")
    .map((row) => row.split("|").map((cell) => cell.trim()))
  return new Map(cells.map(([, delivery = "", response = ""]) => [delivery, response.split(", or ")]))
}
