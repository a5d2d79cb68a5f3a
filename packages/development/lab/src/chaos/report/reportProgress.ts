import type { ChaosInstallation } from "../startChaosInstallation.ts"

const everyMs = 10_000

export function reportProgress(settings: {
  it: Pick<ChaosInstallation, "pool">
  published: readonly unknown[]
  progress: (line: string) => void
}): () => void {
  const { it, published, progress } = settings
  const startedAt = Date.now()
  const timer = setInterval(() => {
    const at = ((Date.now() - startedAt) / 1_000).toFixed(1)
    const counting = it.pool.sql<{ state: string; count: number }>(
      `select case when deferred_at is not null then 'deferred' when next_attempt_at is not null then 'scheduled'
         else state::text end as state, count(*)::int
       from delivery group by 1 order by 1`,
    )
    counting.then(
      (rows) => {
        const counts = rows.map(({ state, count }) => `${count} ${state}`).join(", ")
        progress(`${at.padStart(6)} s  ${published.length} published: ${counts}`)
      },
      // Postgres is unavailable because of a fault.
      () => {},
    )
  }, everyMs)
  return () => clearInterval(timer)
}
