import type { Incident } from "@sitewire/contracts"
import { incidentKinds, type Texts } from "./incidentKinds.ts"
import { type IncidentRow, mostOpen, others } from "./incidentRow.ts"

type Described = Pick<
  Incident,
  "subject" | "urgency" | "summary" | "detail" | "next_step" | "command" | "page" | "details" | "since"
>

/** What the webhook, e-mails and the management API have in common, in the order in which a reader wants it. */
export function describeIncident(row: IncidentRow): Described {
  const { kind, subject_id: id, details, since, resolved_at } = row
  const { subject, urgency, resolved, texts } = incidentKinds[kind]
  const {
    summary,
    detail = "",
    next,
    command,
    page = null,
  } = id === others ? textsOfOthers(row) : texts(id, details)
  return {
    subject: { kind: subject, id },
    urgency,
    summary: resolved_at === null || id === others ? summary : resolved(id),
    detail: resolved_at === null ? detail : "",
    next_step: next,
    command,
    page,
    details,
    since: since.toISOString(),
  }
}

function textsOfOthers({ kind, details, resolved_at }: IncidentRow): Texts {
  return {
    summary:
      resolved_at === null
        ? `There are more than ${mostOpen} incidents of the kind ${kind}: ${details.incidents} more, which are not listed one by one.`
        : `All incidents of the kind ${kind} are listed one by one.`,
    next: "List all of them.",
    command: `sitewire incident list --state open --kind ${kind}`,
  }
}
