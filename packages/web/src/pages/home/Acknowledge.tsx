import { useQueryClient } from "@tanstack/react-query"
import { api, bodyOf, type Schemas } from "../../api/client.ts"
import { Action } from "../../parts/Action.tsx"
import { texts } from "../../texts.ts"

const t = texts.incidents

/** The button that acknowledges an incident, or withdraws that. */
export function Acknowledge({
  incident: { id, acknowledgement, kind, subject },
  title,
}: {
  incident: Schemas["Incident"]
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
      run={() => bodyOf(api.DELETE("/v1/incidents/{id}/acknowledge", { params: { path } }))}
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
      run={(post, note = "") =>
        bodyOf(post("/v1/incidents/{id}/acknowledge", { params: { path }, body: { note } }))
      }
      done={t.acknowledged}
      then={refresh}
    >
      {kind === "connection.failing" && `${t.allOfHost(subject.id)} `}
      {t.acknowledgeMore}
    </Action>
  )
}
