import { type Incident, incidentSchema } from "@sitewire/contracts"
import { responseOf } from "../../http/responseOf.ts"
import { describeIncident } from "../../incidents/describeIncident.ts"
import type { IncidentRow } from "../../incidents/incidentRow.ts"

export function incidentResponse(row: IncidentRow): Incident {
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
