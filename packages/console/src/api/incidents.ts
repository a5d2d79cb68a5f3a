import { type Incident, identifierSchema, incidentSchema } from "@sitewire/contracts"
import { named, type Sql } from "@sitewire/database"
import { z } from "zod"
import { nameOf } from "../auth/caller.ts"
import { maskEmails } from "../deliveries/maskEmails.ts"
import { notFound, problem } from "../http/problems.ts"
import { changesOf, ok, type Problem, responseOf, type Success } from "../http/response.ts"
import { describeChannels } from "../incidents/describeChannels.ts"
import { describeIncident } from "../incidents/describeIncident.ts"
import { type IncidentRow, incidentColumns } from "../incidents/incidentRow.ts"
import { isPartOfNone, rank } from "../incidents/rank.ts"
import { implement } from "./implement.ts"
import { matching, newestFirst, readPage } from "./pagination.ts"

export const listIncidents = implement("listIncidents", async ({ sql }, { query }) => {
  const isOpen = query.state === "open"
  const listing = isOpen ? byRank : newestFirst
  const page = await readPage<IncidentRow & { rank: string }, [string, string]>(query, {
    ...listing,
    read(after, count) {
      const key = isOpen ? rank : "created_at"
      const where = matching(
        query,
        {
          state: `resolved_at is ${isOpen ? "" : "not "}null`,
          kind: "kind = $kind",
          subject: "subject_id = $subject",
          created_after: "created_at >= $created_after::timestamptz",
          created_before: "created_at < $created_before::timestamptz",
        },
        query.kind === undefined && isOpen && isPartOfNone,
        after && `(${key}, id) < ($key::${isOpen ? "text" : "timestamptz"}, $id)`,
      )
      return sql(
        ...named(
          `select ${incidentColumns}, ${rank} as rank from incident
            where ${where} order by ${key} desc, id desc limit $count`,
          { ...query, key: after?.[0], id: after?.[1], count },
        ),
      )
    },
  })
  if (page.kind === "problem") return page
  return ok({
    data: page.rows.map(incidentResponse),
    next_cursor: page.next_cursor,
    channels: await describeChannels(sql),
  })
})

/** Of open incidents. Their ranks change, so a client that reads page after page may miss one whose rank rises meanwhile. */
const byRank = {
  key: z.tuple([z.string(), identifierSchema]),
  keyOf: ({ rank, id }: { rank: string; id: string }): [string, string] => [rank, id],
}

export const acknowledgeIncident = implement(
  "acknowledgeIncident",
  ({ sql }, { params: { id }, body: { note }, caller }) =>
    changeAcknowledgement(sql, id, { by: nameOf(caller), note: maskEmails(note) }),
)

export const withdrawAcknowledgement = implement("withdrawAcknowledgement", ({ sql }, { params: { id } }) =>
  changeAcknowledgement(sql, id, null),
)

async function changeAcknowledgement(
  sql: Sql,
  id: string,
  to: { by: string; note: string } | null,
): Promise<Success<Incident> | Problem> {
  const [before] = await sql<IncidentRow>(
    `select ${incidentColumns} from incident where id = $1 for update`,
    [id],
  )
  if (!before) return notFound("incident", id)
  if (before.resolved_at !== null) {
    return problem("incident-resolved")
  }
  const [after = before] = await sql<IncidentRow>(
    `update incident
        set acknowledged_at = case when $2::text is not null then now() end, acknowledged_by = $2, note = $3
      where id = $1 returning ${incidentColumns}`,
    [id, to?.by ?? null, to?.note ?? null],
  )
  const { acknowledged_by, note } = after
  const audit = {
    target: { kind: "incident" as const, id },
    changes: changesOf(before, { acknowledged_by, note }),
  }
  return ok(incidentResponse(after), { audit })
}

function incidentResponse(row: IncidentRow): Incident {
  return responseOf(incidentSchema, {
    ...row,
    state: row.resolved_at === null ? "open" : "resolved",
    ...describeIncident(row),
    acknowledgement: row.acknowledged_at && {
      at: row.acknowledged_at.toISOString(),
      by: row.acknowledged_by ?? "",
      note: row.note ?? "",
    },
  })
}
