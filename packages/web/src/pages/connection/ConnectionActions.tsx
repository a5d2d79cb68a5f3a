import type { Connection } from "@sitewire/contracts"
import { useNavigate } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { api, type Versioned } from "../../api/client.ts"
import { formatTime } from "../../format.ts"
import { Action } from "../../parts/Action.tsx"
import { ChangeSource } from "./ChangeSource.tsx"

export function ConnectionActions({ connection }: { connection: Versioned<Connection> }) {
  const { managesSite } = useAccess()
  const navigate = useNavigate()
  const { id, site } = connection
  if (!managesSite(site)) return null
  return (
    <>
      <Action
        label="Delete"
        danger
        title={`Delete connection ${id}?`}
        run={() => api.deleteConnection({ id })}
        done={`Connection ${id} is deleted`}
        then={() => void navigate({ to: "/connections" })}
      >
        Its trigger URL responds 404 at once, and its syncs and content are deleted. This cannot be undone.
      </Action>
      <ChangeSource connection={connection} />
      <Action
        label="Sync now"
        icon="connection"
        variant="filled"
        title={`Fetch the source of ${id} now?`}
        run={(post) => post.requestSync({ id })}
        done={({ earliest_start_at }) =>
          `The sync starts at ${formatTime(new Date(earliest_start_at), "near")} or later`
        }
      >
        It counts as a trigger: it starts when the current window ends.
      </Action>
    </>
  )
}
