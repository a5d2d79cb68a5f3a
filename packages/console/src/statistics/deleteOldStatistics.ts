import type { Sql } from "@sitewire/database"
import { dayMs, minuteRetentionMs } from "./rollUp.ts"

const batch = 5_000
const retentionMs = { minute: minuteRetentionMs, hour: 90 * dayMs, day: 730 * dayMs }

export async function deleteOldStatistics(sql: Sql): Promise<number> {
  let deleted = 0
  for (const [interval, ageMs] of Object.entries(retentionMs)) {
    for (let count = batch; count === batch; deleted += count) {
      count = (await sql(statement, [interval, ageMs])).length
    }
  }
  return deleted
}

const statement = `
delete from statistic where ctid in (
  select ctid from statistic
   where interval = $1::statistic_interval and started_at < now() - $2 * interval '1 millisecond'
   order by started_at limit ${batch}
) returning 1 as one`
