import { plainArray, type Sql } from "@sitewire/database"
import { type Logger, repeatUntilClosed } from "@sitewire/runtime"

const statement = `
insert into receiver_certificate (origin, expires_at, seen_at)
select origin, to_timestamp(expires_ms / 1000), now() from unnest($1::text[], $2::float8[]) as given (origin, expires_ms)
on conflict (origin) do update set expires_at = excluded.expires_at, seen_at = excluded.seen_at`

/** Certificates of more servers are written each time they are seen. */
const maxRemembered = 10_000

/**
 * Writes when the certificates of partners' servers expire, so that operators are notified before. What a crash loses is written when
 * the server is connected to again.
 */
export function startReportingCertificates(settings: { sql: Sql; intervalMs: number; log: Logger }) {
  const { sql, intervalMs, log } = settings
  const written = new Map<string, number>()
  let unwritten = new Map<string, number>()

  async function write(): Promise<void> {
    const batch = unwritten
    if (batch.size === 0) return
    unwritten = new Map()
    try {
      await sql(statement, [[...batch.keys()], plainArray([...batch.values()])])
      if (written.size > maxRemembered) written.clear()
      for (const [origin, expiresAt] of batch) written.set(origin, expiresAt)
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
    onCertificate(origin: string, expiresAt: Date): void {
      const time = expiresAt.getTime()
      if (written.get(origin) !== time) unwritten.set(origin, time)
    },
    close,
  }
}
