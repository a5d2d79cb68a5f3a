import { named, type Sql } from "@sitewire/database"
import { describeProblem } from "../operatorProblems/describeProblem.ts"
import { type ProblemRow, problemColumns } from "../operatorProblems/problemRow.ts"
import { addRecipients, type Claim, claimed, settled } from "./claim.ts"

const id = "operators"
const mostShown = 20
const mostTold = 10_000

const status = "case when resolved_at is null then 'firing' else 'resolved' end"

/**
 * What operators were not written of. A minute later, because problems seldom come alone; and of the last day, because it may be
 * years when addresses are configured for the first time. Of an acknowledged problem, only the
 * end is told, if the beginning was.
 */
const news = `
select ${problemColumns}, ${status} as status, count(*) over ()::int as total
  from operator_problem
 where (created_at > now() - interval '1 day' or resolved_at > now() - interval '1 day')
   and created_at < now() - interval '1 minute' and mailed is distinct from ${status}
   and (acknowledged_at is null or mailed = 'firing')`

type News = ProblemRow & { status: string; total: number }

export async function claimOperators(
  sql: Sql,
  { addresses, origin }: { addresses: readonly string[]; origin: string | undefined },
): Promise<Claim | null> {
  if (addresses.length === 0) return null
  await addRecipients(sql, [id])
  const [recipient] = await sql<{ attempts: number }>(
    `update mail_recipient set ${claimed}
      where id = $1 and next_at <= now() and exists (${news} limit 1) returning attempts`,
    [id],
  )
  if (!recipient) return null
  const rows = await sql<News>(`${news} order by resolved_at is not null, created_at limit ${mostTold}`)
  return {
    attempts: recipient.attempts,
    mail: { to: addresses, ...describe(rows, origin) },
    async settle() {
      await sql(
        ...named(
          `with told as (
             update operator_problem set mailed = news.status from unnest($ids::text[], $statuses::text[]) as news (id, status)
              where operator_problem.id = news.id
           )
           update mail_recipient set ${settled} where id = $recipient`,
          { recipient: id, ids: rows.map((row) => row.id), statuses: rows.map((row) => row.status) },
        ),
      )
    },
  }
}

function describe(rows: readonly News[], origin: string | undefined): { subject: string; text: string } {
  const total = rows[0]?.total ?? 0
  const firing = rows.filter((row) => row.status === "firing").length
  const shown = rows.slice(0, mostShown).map((row) => {
    const { summary, since, next_step } = describeProblem(row)
    return row.status === "firing"
      ? `${summary}\n  since ${since}\n  next: ${next_step}`
      : `Resolved: ${summary}`
  })
  const more = total - shown.length
  return {
    subject: `Webhooks: ${firing} ${firing === 1 ? "problem" : "problems"}, ${rows.length - firing} resolved`,
    text: [
      ...shown,
      ...(more > 0 ? [`And ${more} more: sitewire problem list`] : []),
      ...(origin === undefined ? [] : [`Console: ${origin}/`]),
      "Further problems follow in an hour, in one e-mail. OPERATOR_EMAILS of the console has your address.",
    ].join("\n\n"),
  }
}
