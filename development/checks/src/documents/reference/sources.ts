import { readFileSync } from "node:fs"

export type Source = { owner: string; path: string; text: string }

const severalProcesses = "Several processes"

/** Whose metrics and log events the source files of a folder contain, in the order of the reference. */
const owners = {
  "packages/runtime": severalProcesses,
  "packages/kafka": severalProcesses,
  "packages/database": severalProcesses,
  "packages/egress": severalProcesses,
  "packages/limiter": severalProcesses,
  "services/trigger-gateway": "trigger-gateway",
  "services/sync-scheduler": "sync-scheduler",
  "services/webhook-dispatcher": "webhook-dispatcher",
  "packages/console": "console",
  "packages/database/src/setup": "setup",
}

/** The setup job is in the folder of the database, and after it in the list. */
const folderOf = (path: string) =>
  path.includes("/src/") ? Object.keys(owners).findLast((folder) => path.startsWith(`${folder}/`)) : undefined

/** The source files of all processes, without tests. */
export function readSources(root: URL, files: readonly string[]): Source[] {
  return Object.entries(owners).flatMap(([folder, owner]) =>
    files
      .filter((path) => folderOf(path) === folder && /(?<!\.test|\.d)\.ts$/.test(path))
      .map((path) => ({ owner, path, text: readFileSync(new URL(path, root), "utf8") })),
  )
}
