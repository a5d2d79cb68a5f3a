import type { ChaosInstallation } from "../startChaosInstallation.ts"
import type { SeenGet, SyncRunRow } from "./reconcile.ts"

export async function readGets(url: string): Promise<SeenGet[]> {
  const text = await fetch(`${url}/gets`).then((response) => response.text())
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as SeenGet)
}

export async function readSyncs({
  sql,
}: ChaosInstallation): Promise<{ runs: SyncRunRow[]; waiting: string[] }> {
  const runs = await sql<SyncRunRow>(
    `select connection_id as connection, outcome::text,
       (extract(epoch from started_at) * 1000)::float8 as "startedAt",
       (extract(epoch from finished_at) * 1000)::float8 as "finishedAt"
     from sync_run`,
  )
  const waiting = await sql<{ connection: string }>(
    "select connection_id as connection from sync_window where requested > covered",
  )
  return { runs, waiting: waiting.map(({ connection }) => connection) }
}
