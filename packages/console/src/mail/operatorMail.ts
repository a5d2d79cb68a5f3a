import type { Sql } from "@sitewire/database"
import { describeChannels } from "../incidents/describeChannels.ts"
import { describeIncident } from "../incidents/describeIncident.ts"
import { type IncidentRow, incidentColumns } from "../incidents/incidentRow.ts"
import { rank } from "../incidents/rank.ts"
import { type Claim, claimRecipient } from "./claim.ts"

const mostShown = 20
const mostTold = 10_000

const status = "case when closed_at is null then 'firing' else 'resolved' end"

/**
 * What operators were not written of. A minute later, because incidents seldom come alone; and of the last day, because it may be
 * years when addresses are configured for the first time. Of an acknowledged incident, only the
 * end is told, if the beginning was.
 */
const news = `
select ${incidentColumns}, ${status} as status, count(*) over ()::int as total
  from incident
 where (created_at > now() - interval '1 day' or closed_at > now() - interval '1 day')
   and created_at < now() - interval '1 minute' and mailed is distinct from ${status}
   and (acknowledged_at is null or mailed = 'firing')`

type News = IncidentRow & { status: string; total: number }

export async function claimOperators(
  sql: Sql,
  { addresses, origin }: { addresses: readonly string[]; origin: string | undefined },
): Promise<Claim | null> {
  if (addresses.length === 0) return null
  const hasNews = (await sql(`${news} limit 1`)).length > 0
  return claimRecipient(sql, hasNews ? ["operators"] : [], async () => {
    const rows = await sql<News>(`${news} order by closed_at is not null, ${rank} desc limit ${mostTold}`)
    if (rows.length === 0) return null
    return {
      mail: { to: addresses, ...describe(rows, { origin, channels: await describeChannels(sql) }) },
      told: `
        update incident set mailed = news.status from unnest($ids::text[], $statuses::text[]) as news (id, status)
         where incident.id = news.id`,
      values: { ids: rows.map((row) => row.id), statuses: rows.map((row) => row.status) },
    }
  })
}

function describe(
  rows: readonly News[],
  { origin, channels }: { origin: string | undefined; channels: string | null },
): { subject: string; text: string } {
  const total = rows[0]?.total ?? 0
  const firing = rows.filter((row) => row.status === "firing").length
  const shown = rows.slice(0, mostShown).map((row) => {
    const { summary, detail, since, next_step, command, page } = describeIncident(row)
    const link = origin !== undefined && page !== null ? `\n  ${origin}${page}` : ""
    return row.status === "firing"
      ? `${[summary, detail].join(" ").trim()}\n  since ${since}\n  next: ${next_step} ${command}${link}`
      : `Resolved: ${summary}`
  })
  const more = total - shown.length
  return {
    subject: `Webhooks: ${firing} ${firing === 1 ? "incident" : "incidents"}, ${rows.length - firing} resolved`,
    text: [
      ...(channels === null ? [] : [channels]),
      ...shown,
      ...(more > 0 ? [`And ${more} more: sitewire incident list`] : []),
      ...(origin === undefined ? [] : [`Console: ${origin}/`]),
      "Further incidents follow in an hour, in one e-mail. OPERATOR_EMAILS of the console has your address.",
    ].join("\n\n"),
  }
}
