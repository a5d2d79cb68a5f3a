import { readFile } from "node:fs/promises"
import { join } from "node:path/posix"
import { mains } from "../readProcesses.ts"
import { requireMeanings } from "./fieldMeanings.ts"
import { findProcessFiles } from "./findProcessFiles.ts"
import { type LogEvent, readLogEvents } from "./readLogEvents.ts"

export type ProcessLogEvent = LogEvent & { source: string; processes: string[] }

/** Every log event of the processes, with the processes that can write it. */
export async function readProcessLogs(root: URL, files: readonly string[]): Promise<ProcessLogEvent[]> {
  const paths = files.filter((path) => /\/src\/.*(?<!\.test|\.d)\.ts$/.test(path))
  const sources = new Map(
    await Promise.all(
      paths.map(async (path) => [path, await readFile(new URL(path, root), "utf8")] as const),
    ),
  )
  const packages = await readEntryPoints(root, files)
  const loaded = Object.entries(mains).map(
    ([name, main]) => [name, findProcessFiles(main, sources, packages)] as const,
  )
  const events = [...sources].flatMap(([source, text]) => {
    const processes = loaded.flatMap(([name, paths]) => (paths.has(source) ? [name] : []))
    if (processes.length === 0) return []
    return readLogEvents(source, text).map((event) => ({ ...event, source, processes }))
  })
  requireMeanings(events)
  return events
}

async function readEntryPoints(root: URL, files: readonly string[]): Promise<Map<string, string>> {
  const manifests = files.filter((path) => /^packages\/[^/]+\/package\.json$/.test(path))
  const entries = manifests.map(async (path) => {
    const { name, exports = {} } = JSON.parse(await readFile(new URL(path, root), "utf8"))
    return Object.entries<string>(exports).map(
      ([entry, file]) => [join(name, entry), join(path, "..", file)] as const,
    )
  })
  return new Map((await Promise.all(entries)).flat())
}
