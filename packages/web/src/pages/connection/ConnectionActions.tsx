import type { Connection } from "@sitewire/contracts"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { api, type Versioned } from "../../api/client.ts"
import { formatTime } from "../../format.ts"
import { Action } from "../../parts/Action.tsx"
import { texts } from "../../texts.ts"
import { ChangeSource } from "./ChangeSource.tsx"

const t = texts.connection

export function ConnectionActions({ connection }: { connection: Versioned<Connection> }) {
  const { managesSite } = useAccess()
  const client = useQueryClient()
  const navigate = useNavigate()
  const { id, site } = connection
  if (!managesSite(site)) return null
  const refresh = () => void client.invalidateQueries({ queryKey: ["connections", id] })
  return (
    <>
      <Action
        label={t.delete}
        danger
        title={t.deleteTitle(id)}
        run={() => api.deleteConnection({ id })}
        done={t.deleted(id)}
        then={() => {
          void client.invalidateQueries({ queryKey: ["connections", "list"] })
          void navigate({ to: "/connections" })
        }}
      >
        {t.deleteMore}
      </Action>
      <ChangeSource connection={connection} />
      <Action
        label={t.sync}
        icon="connection"
        variant="filled"
        title={t.syncTitle(id)}
        run={(post) => post.requestSync({ id })}
        done={({ earliest_start_at }) => t.syncRequested(formatTime(new Date(earliest_start_at), "near"))}
        then={refresh}
      >
        {t.syncMore}
      </Action>
    </>
  )
}
