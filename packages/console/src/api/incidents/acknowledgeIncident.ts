import { acknowledgeIncidentSchema, type Incident, incidentSchema } from "@sitewire/contracts"
import type { Sql } from "@sitewire/database"
import { nameOf } from "../../auth/caller.ts"
import { type IncidentRow, incidentColumns } from "../../incidents/incidentRow.ts"
import { defineRoute } from "../defineRoute.ts"
import { maskEmails } from "../deliveries/maskEmails.ts"
import { idParameter } from "../pathParameters.ts"
import { notFound, problem } from "../problems.ts"
import { changesOf, ok, type Problem, type Success } from "../response.ts"
import { incidentResponse } from "./incidentResponse.ts"

const path = "/v1/incidents/{id}/acknowledge"
const otherResponses = { 409: "The incident is resolved." }

export const acknowledgeIncident = defineRoute({
  method: "post",
  path,
  operation: "acknowledgeIncident",
  summary: "Acknowledge an incident",
  allow: { operate: "all" },
  description:
    "Until the incident is resolved, it is shown as one that somebody cares for. If it comes back later, it is a new incident, which is not acknowledged. Acknowledging it again replaces the note.",
  params: idParameter,
  body: acknowledgeIncidentSchema,
  success: { status: 200, description: "The acknowledged incident.", schema: incidentSchema },
  otherResponses,
  async handle({ sql }, { params: { id }, body: { note }, caller }) {
    return changeAcknowledgement(sql, id, { by: nameOf(caller), note: maskEmails(note) })
  },
})

export const withdrawAcknowledgement = defineRoute({
  method: "delete",
  path,
  operation: "withdrawAcknowledgement",
  summary: "Withdraw the acknowledgement of an incident",
  allow: { operate: "all" },
  description: "If the incident is not acknowledged, nothing changes.",
  params: idParameter,
  success: { status: 200, description: "The incident.", schema: incidentSchema },
  otherResponses,
  async handle({ sql }, { params: { id } }) {
    return changeAcknowledgement(sql, id, null)
  },
})

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
