import { lowestDeliveryId } from "@sitewire/contracts"
import type { Installation } from "@sitewire/testkit/installation"

const dayMs = 86_400_000
const batch = 100_000

// Ids contain the time of their creation, so the rows are inserted in the order of the ids, as in production.
const insert = `
insert into delivery (id, event_id, channel_id, body, body_sha256, state, attempts, correlation, created_at, stored_at, finished_at)
select (substr($4, 1, 14) || '7' || lpad(to_hex(n / 65536), 3, '0') || '-8' || lpad(to_hex(n % 4096), 3, '0') || '-'
         || substr(md5($1::text || n), 1, 12))::uuid,
       'evt_old_' || ($1::bigint + n), (array['acme', 'northwind', 'globex', 'umbrella'])[1 + n % 4],
       '{"site_url":"https://shop.example"}', sha256('{"site_url":"https://shop.example"}'), 'delivered', 1, 'c',
       $2::timestamptz, $2::timestamptz, $2::timestamptz + interval '90 ms'
  from generate_series(0, $3 - 1) as n`

/** Inserts deliveries of the days before the last one. */
export async function fillOldDeliveries(it: Installation, count: number, now: number): Promise<void> {
  for (let done = 0; done < count; done += batch) {
    const at = now - dayMs * (1 + (28 * (count - done)) / count)
    const rows = Math.min(batch, count - done)
    await it.sql(insert, [done, new Date(at), rows, lowestDeliveryId(at)])
    if (done > 0 && done % 1_000_000 === 0)
      process.stderr.write(`${done / 1e6} of ${count / 1e6} million rows\n`)
  }
  await it.sql("analyze delivery")
}
