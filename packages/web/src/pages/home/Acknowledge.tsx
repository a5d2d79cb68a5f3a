import type { Incident } from "@sitewire/contracts"
import { api } from "../../api/client.ts"
import { Action } from "../../parts/Action.tsx"

/** The button that acknowledges an incident, or withdraws that. */
export function Acknowledge({
  incident: { id, acknowledgement, kind, subject },
  title,
}: {
  incident: Incident
  title: string
}) {
  return acknowledgement ? (
    <Action
      label="Withdraw"
      size="compact-sm"
      title={`Withdraw the acknowledgement of: ${title}?`}
      run={() => api.withdrawAcknowledgement({ id })}
      done="Withdrawn"
    />
  ) : (
    <Action
      label="Acknowledge"
      size="compact-sm"
      title={`Acknowledge: ${title}?`}
      reason="required"
      reasonLabel="Note: who does what until when"
      run={(post, note = "") => post.acknowledgeIncident({ id, body: { note } })}
      done="Acknowledged"
    >
      {kind === "connection.failing" && `This is for all connections whose source is on ${subject.id}. `}
      Everybody sees that you care for it, until it is resolved. If it comes back later, it is a new incident.
    </Action>
  )
}
