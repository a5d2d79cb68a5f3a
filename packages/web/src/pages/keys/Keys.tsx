import type { ApiKey } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { api } from "../../api/client.ts"
import { listOf } from "../../api/queries.ts"
import { Action } from "../../parts/Action.tsx"
import { Empty, PageHead, Rows } from "../../parts/Page.tsx"
import { Mono } from "../../parts/Ref.tsx"
import { type Column, PagedTable } from "../../parts/Rows.tsx"
import { State } from "../../parts/State.tsx"
import { Ago, Time } from "../../parts/Time.tsx"
import { pageNames } from "../../words.ts"
import { CreateKey } from "./CreateKey.tsx"
import { Sessions } from "./Sessions.tsx"

type Key = ApiKey

/** Keys, and the sessions of their users. Without the scope admin: only one's own sessions. */
export function Keys() {
  const { administers } = useAccess()
  return (
    <>
      <PageHead title={administers ? pageNames.keys : "Your sessions"}>
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
  const list = useInfiniteQuery(listOf("listApiKeys", {}))
  return <PagedTable list={list} label={pageNames.keys} columns={columns} empty={<Empty title="No keys" />} />
}

function stateOf({ revoked_at, expires_at }: Key) {
  if (revoked_at !== null) return <State kind="idle">Revoked</State>
  if (expires_at !== null && Date.parse(expires_at) < Date.now()) return <State kind="idle">Expired</State>
  return <State kind="good">Valid</State>
}

const columns: Column<Key>[] = [
  { title: "Name", cell: ({ name }) => <span dir="auto">{name}</span> },
  { title: "Scopes", cell: ({ scopes }) => <Mono>{scopes.join(", ")}</Mono> },
  { title: "State", cell: stateOf },
  {
    title: "Last used",
    cell: ({ last_used_at }) => (last_used_at ? <Ago at={last_used_at} /> : "never"),
    minor: true,
  },
  {
    title: "Expires",
    cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : "never"),
    minor: true,
  },
  { title: "Id", cell: ({ id }) => <Mono>{id}</Mono>, minor: true },
  { title: "Action", cell: (key) => key.revoked_at === null && <Revoke apiKey={key} />, end: true },
]

function Revoke({ apiKey: { id, name } }: { apiKey: Key }) {
  return (
    <Action
      label="Revoke"
      size="compact-sm"
      danger
      title={`Revoke the key “${name}”?`}
      run={() => api.revokeApiKey({ id })}
      done={`The key “${name}” is revoked`}
    >
      {`Every request and session of “${name}” is rejected at once. This cannot be undone; create a new key instead.`}
    </Action>
  )
}
