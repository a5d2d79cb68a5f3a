import { statisticsKeptMs } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"

const batch = 5_000

export async function deleteOldStatistics(sql: Sql): Promise<number> {
  let deleted = 0
  for (let count = batch; count === batch; deleted += count)
    count = (await sql(statement, [statisticsKeptMs])).length
  return deleted
}

const statement = `
delete from statistic where ctid in (
  select ctid from statistic where started_at < now() - $1 * interval '1 millisecond'
   order by started_at limit ${batch}
) returning 1 as one`
