import { type Columns, columnValues, named, type Sql, unnestColumns } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"

const columns: Columns<[origin: string, expiresMs: number]> = {
  origin: ["text", ([origin]) => origin],
  expires_ms: ["float8", ([, expiresMs]) => expiresMs],
}
const statement = `
insert into receiver_certificate (origin, expires_at, seen_at)
select origin, to_timestamp(expires_ms / 1000), now()
  from ${unnestColumns(columns)} left join receiver_certificate as known using (origin)
 where known.expires_at is distinct from to_timestamp(expires_ms / 1000) or known.seen_at < now() - interval '1 day'
 order by origin
on conflict (origin) do update set expires_at = excluded.expires_at, seen_at = excluded.seen_at`

/**
 * Writes when the certificates of partners' servers expire, so that operators are notified before. What a crash loses is written when
 * the server is connected to again.
 */
export function startReportingCertificates(settings: { sql: Sql; intervalMs: number; log: Logger }) {
  const { sql, intervalMs, log } = settings
  let unwritten = new Map<string, number>()

  async function write(): Promise<void> {
    const batch = unwritten
    if (batch.size === 0) return
    unwritten = new Map()
    try {
      await sql(...named(statement, columnValues(columns, [...batch])))
    } catch (error) {
      unwritten = new Map([...batch, ...unwritten])
      throw error
    }
  }

  const { close } = repeatUntilClosed({
    step: write,
    intervalMs,
    failed: "expiry times of certificates could not be written; they are written later",
    log,
  })

  return {
    onCertificate: (origin: string, expiresAt: Date) => void unwritten.set(origin, expiresAt.getTime()),
    close,
  }
}
