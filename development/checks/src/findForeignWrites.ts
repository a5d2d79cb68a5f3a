/** The tables that only one package writes, so that their rules are in one folder. */
const owners = {
  "packages/deliveries": [
    "delivery",
    "waiting_delivery",
    "attempt",
    "known_event",
    "ended_delivery",
    "unreachable_channel",
    "channel_rate",
  ],
  "packages/syncs": [
    "sync_window",
    "sync_run",
    "snapshot",
    "snapshot_chunk",
    "previous_snapshot",
    "unpublished_change",
  ],
}

const isProduct = /^(?:packages|services)\/[^/]+\/src\/.*(?<!\.test)\.tsx?$/

/** Which tables of other packages a source file writes, in SQL or with Prisma. */
export function findForeignWrites({ path, text }: { path: string; text: string }): string[] {
  if (!isProduct.test(path)) return []
  return Object.entries(owners).flatMap(([owner, tables]) =>
    path.startsWith(`${owner}/`)
      ? []
      : tables
          .filter((table) => writes(table).test(text))
          .map((table) => `${path} writes ${table}: ${owner} owns it`),
  )
}

function writes(table: string): RegExp {
  const model = table.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
  const sql = `\\b(?:insert\\s+into|update|delete\\s+from|truncate)\\s+(?:only\\s+)?"?${table}\\b`
  return new RegExp(`${sql}|\\.${model}\\.(?:create|update|upsert|delete)`, "i")
}
