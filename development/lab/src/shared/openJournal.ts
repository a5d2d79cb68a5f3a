import { appendFileSync, createReadStream, existsSync } from "node:fs"
import { createInterface } from "node:readline"

/**
 * Calls `apply` for each entry of a file, and then for each new one, which is in the file first: an entry survives a kill of
 * this process. Without a file, entries are only applied.
 */
export async function openJournal<Entry>(
  file: string | undefined,
  apply: (entry: Entry) => void,
): Promise<(entry: Entry) => void> {
  if (!file) return apply
  if (existsSync(file))
    for await (const line of createInterface({ input: createReadStream(file) }))
      apply(JSON.parse(line) as Entry)
  return (entry) => {
    appendFileSync(file, `${JSON.stringify(entry)}\n`)
    apply(entry)
  }
}
