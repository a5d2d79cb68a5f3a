import { Stack, TextInput } from "@mantine/core"
import { useQueryClient } from "@tanstack/react-query"
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { api, bodyOf, type Schemas } from "../../api/client.ts"
import { formatTime } from "../../format.ts"
import { Action } from "../../parts/Action.tsx"
import { texts } from "../../texts.ts"

const t = texts.connection

export function ConnectionActions({ connection }: { connection: Schemas["Connection"] }) {
  const { managesSite } = useAccess()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [source, setSource] = useState(connection.source)
  const { id, site } = connection
  if (!managesSite(site)) return null
  const params = { path: { id } }
  const refresh = () => void client.invalidateQueries({ queryKey: ["connections", id] })
  return (
    <>
      <Action
        label={t.delete}
        danger
        title={t.deleteTitle(id)}
        run={() => bodyOf(api.DELETE("/v1/connections/{id}", { params }))}
        done={t.deleted(id)}
        then={() => {
          void client.invalidateQueries({ queryKey: ["connections", "list"] })
          void navigate({ to: "/connections" })
        }}
      >
        {t.deleteMore}
      </Action>
      <Action
        label={t.change}
        title={t.changeTitle(id)}
        confirm={t.changeConfirm}
        run={() => bodyOf(api.PATCH("/v1/connections/{id}", { params, body: { source } }))}
        done={t.changed}
        then={refresh}
      >
        <Stack gap="sm">
          <span>{t.changeMore}</span>
          <TextInput
            label={t.source}
            type="url"
            required
            value={source}
            onChange={(event) => setSource(event.currentTarget.value.trim())}
            data-autofocus
          />
        </Stack>
      </Action>
      <Action
        label={t.sync}
        icon="connection"
        variant="filled"
        title={t.syncTitle(id)}
        run={() => bodyOf(api.POST("/v1/connections/{id}/sync", { params }))}
        done={({ earliest_start_at }) => t.syncRequested(formatTime(new Date(earliest_start_at), "near"))}
        then={refresh}
      >
        {t.syncMore}
      </Action>
    </>
  )
}
