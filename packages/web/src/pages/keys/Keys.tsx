import type { ApiKey } from "@sitewire/contracts"
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { api } from "../../api/client.ts"
import { keysQuery } from "../../api/queries.ts"
import { Action } from "../../parts/Action.tsx"
import { Empty, PageHead, Rows } from "../../parts/Page.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { State } from "../../parts/State.tsx"
import { Ago, Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { CreateKey } from "./CreateKey.tsx"
import { Sessions } from "./Sessions.tsx"

const t = texts.keys
type Key = ApiKey

/** Keys, and the sessions of their users. Without the scope admin: only one's own sessions. */
export function Keys() {
  const { administers } = useAccess()
  return (
    <>
      <PageHead title={administers ? texts.pages.keys : texts.shell.sessions}>
        {administers && <CreateKey />}
      </PageHead>
      <Rows>
        {administers && <KeyTable />}
        <Sessions />
      </Rows>
    </>
  )
}

function KeyTable() {
  const list = useInfiniteQuery(keysQuery())
  return (
    <PagedTable
      list={list}
      label={texts.pages.keys}
      columns={columns}
      keyOf={({ id }) => id}
      empty={<Empty title={t.none} />}
    />
  )
}

function stateOf({ revoked_at, expires_at }: Key) {
  if (revoked_at !== null) return <State kind="idle">{t.revoked}</State>
  if (expires_at !== null && Date.parse(expires_at) < Date.now())
    return <State kind="idle">{t.expired}</State>
  return <State kind="good">{t.valid}</State>
}

const columns: Column<Key>[] = [
  { title: t.columns.name, cell: ({ name }) => <span dir="auto">{name}</span> },
  { title: t.columns.scopes, cell: ({ scopes }) => <Mono>{scopes.join(", ")}</Mono> },
  { title: t.columns.state, cell: stateOf },
  {
    title: t.columns.used,
    cell: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : t.never),
    minor: true,
  },
  {
    title: t.columns.expires,
    cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : t.neverExpires),
    minor: true,
  },
  { title: t.columns.id, cell: ({ id }) => <Mono>{id}</Mono>, minor: true },
  { title: t.columns.action, cell: (key) => key.revoked_at === null && <Revoke apiKey={key} />, end: true },
]

function Revoke({ apiKey: { id, name } }: { apiKey: Key }) {
  const client = useQueryClient()
  return (
    <Action
      label={t.revoke}
      size="compact-sm"
      danger
      title={t.revokeTitle(name)}
      run={() => api.revokeApiKey({ id })}
      done={t.revokedNow(name)}
      then={() => void client.invalidateQueries({ queryKey: ["keys"] })}
    >
      {t.revokeMore(name)}
    </Action>
  )
}
