import { readFileSync } from "node:fs"
import { z } from "zod"

/**
 * `budgets.json` limits what there is to read, to load and to pull. `firstViewKilobytes` is checked by the
 * web console's sessions.extended.test.ts, and `imageMegabytes` by containers.extended.test.ts.
 */
const budgetsSchema = z.strictObject({
  sourceKilobytes: z.record(z.string(), z.int()),
  documentWords: z.record(z.string(), z.int()),
  firstViewKilobytes: z.int(),
  imageMegabytes: z.record(z.string(), z.int()),
})

type Limited = { what: string; used: number; limit: number }

const isSource = (path: string) =>
  /\.(?:tsx?|mjs|css|prisma|sql|py|java|php|rb|go)$/.test(path) && !/\.test\.tsx?$|\/test\//.test(path)
const isWritten = (path: string) => path.endsWith(".md") && !path.startsWith("docs/reference/")

/** Each package, service and folder of documents with its size: sources in kB without tests, documents in words without generated ones. */
export function measureBudgets(root: URL, files: readonly string[]): { over: string[]; table: string } {
  const read = (path: string) => readFileSync(new URL(path, root))
  const budgets = budgetsSchema.parse(JSON.parse(read("budgets.json").toString()))
  const words = (path: string) => read(path).toString().split(/\s+/).filter(Boolean).length
  const rows = [
    ...measure("kB", budgets.sourceKilobytes, files.filter(isSource), (path) => read(path).length / 1000),
    ...measure("words", budgets.documentWords, files.filter(isWritten), words),
  ]
  const width = Math.max(...rows.map(({ what }) => what.length))
  return {
    over: rows
      .filter(({ used, limit }) => used > limit)
      .map(
        ({ what, used, limit }) =>
          `${what}: ${used} is above the budget of ${limit}. Remove something, or raise it in budgets.json and say why in the commit.`,
      ),
    table: rows
      .map(({ what, used, limit }) => `${what.padEnd(width)} ${`${used}`.padStart(6)} of ${limit}`)
      .join("\n"),
  }
}

/** A file belongs to the longest folder of the budget that contains it. The folder "." contains all others. */
function measure(
  unit: string,
  limits: Record<string, number>,
  files: readonly string[],
  sizeOf: (path: string) => number,
): Limited[] {
  const folders = Object.keys(limits).sort((a, b) => b.length - a.length)
  const used = new Map<string, number>()
  for (const path of files) {
    const folder = folders.find((folder) => path.startsWith(`${folder}/`)) ?? "."
    used.set(folder, (used.get(folder) ?? 0) + sizeOf(path))
  }
  return Object.entries(limits).map(([folder, limit]) => ({
    what: `${folder === "." ? "other" : folder} ${unit}`,
    used: Math.ceil(used.get(folder) ?? 0),
    limit,
  }))
}
