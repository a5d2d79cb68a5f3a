import type { Incident } from "@sitewire/contracts"
import { useQueryClient } from "@tanstack/react-query"
import { api } from "../../api/client.ts"
import { Action } from "../../parts/Action.tsx"
import { texts } from "../../texts.ts"

const t = texts.incidents

/** The button that acknowledges an incident, or withdraws that. */
export function Acknowledge({
  incident: { id, acknowledgement, kind, subject },
  title,
}: {
  incident: Incident
  title: string
}) {
  const client = useQueryClient()
  const path = { id }
  const refresh = () => void client.invalidateQueries({ queryKey: ["incidents"] })
  return acknowledgement ? (
    <Action
      label={t.withdraw}
      size="compact-sm"
      title={t.withdrawTitle(title)}
      run={() => api.withdrawAcknowledgement({ ...path })}
      done={t.withdrawn}
      then={refresh}
    />
  ) : (
    <Action
      label={t.acknowledge}
      size="compact-sm"
      title={t.acknowledgeTitle(title)}
      reason="required"
      reasonLabel={t.note}
      run={(post, note = "") => post.acknowledgeIncident({ ...path, body: { note } })}
      done={t.acknowledged}
      then={refresh}
    >
      {kind === "connection.failing" && `${t.allOfHost(subject.id)} `}
      {t.acknowledgeMore}
    </Action>
  )
}
