import type { ConsoleSession } from "@sitewire/contracts"
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query"
import { api } from "../../api/client.ts"
import { sessionsQuery } from "../../api/queries.ts"
import { Action } from "../../parts/Action.tsx"
import { Empty } from "../../parts/Page.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { Ago, Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"

const t = texts.sessions
type Session = ConsoleSession

export function Sessions() {
  const list = useInfiniteQuery(sessionsQuery())
  return (
    <PagedTable
      list={list}
      label={t.title}
      head={{
        title: t.title,
        aside: <End label={t.endOwn} title={t.endOwnTitle} path={{ owner: "current" }} />,
      }}
      columns={columns}
      keyOf={({ id }) => id}
      empty={<Empty title={t.none} />}
    />
  )
}

const columns: Column<Session>[] = [
  {
    title: t.columns.owner,
    cell: ({ owner, current }) => (
      <span dir="auto">
        {owner.name}
        {current && ` (${t.current})`}
      </span>
    ),
  },
  { title: t.columns.scopes, cell: ({ scopes }) => <Mono>{scopes.join(", ")}</Mono> },
  { title: t.columns.used, cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  { title: t.columns.since, cell: ({ created_at }) => <Time at={created_at} />, minor: true },
  { title: t.columns.ends, cell: ({ expires_at }) => <Time at={expires_at} />, minor: true },
  { title: t.columns.id, cell: ({ owner }) => <Mono>{owner.id}</Mono>, minor: true },
  {
    title: t.columns.action,
    cell: ({ id, owner }) => <End label={t.end} title={t.endTitle(owner.name)} path={{ id }} />,
    end: true,
  },
]

type Which = { id: string } | { owner: string }

function End({ label, title, path }: { label: string; title: string; path: Which }) {
  const client = useQueryClient()
  const run = () => ("id" in path ? api.endSession({ ...path }) : api.endSessions({ ...path }))
  return (
    <Action
      label={label}
      size="compact-sm"
      danger
      title={title}
      run={run}
      done={t.ended}
      then={() => void client.invalidateQueries({ queryKey: ["sessions"] })}
    >
      {t.endMore}
    </Action>
  )
}
