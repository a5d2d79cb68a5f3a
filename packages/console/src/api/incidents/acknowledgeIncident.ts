import type { Incident } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { nameOf } from "../../auth/caller.ts"
import { maskEmails } from "../../deliveries/maskEmails.ts"
import { notFound, problem } from "../../http/problems.ts"
import { changesOf, ok, type Problem, type Success } from "../../http/response.ts"
import { type IncidentRow, incidentColumns } from "../../incidents/incidentRow.ts"
import { implement } from "../implement.ts"
import { incidentResponse } from "./incidentResponse.ts"

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
    const detail = `The incident "${id}" is resolved, so there is nothing to acknowledge. GET /v1/incidents?state=open lists those that exist.`
    return problem("incident-resolved", detail)
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
