import type { ConsoleSession } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { api } from "../../api/client.ts"
import { listOf } from "../../api/queries.ts"
import { Action } from "../../parts/Action.tsx"
import { Empty } from "../../parts/Page.tsx"
import { Mono } from "../../parts/Ref.tsx"
import { type Column, PagedTable } from "../../parts/Rows.tsx"
import { Ago, Time } from "../../parts/Time.tsx"

type Session = ConsoleSession

export function Sessions() {
  const list = useInfiniteQuery(listOf("listSessions", {}))
  return (
    <PagedTable
      list={list}
      label="Sessions"
      head={{
        title: "Sessions",
        aside: (
          <End
            label="End all of yours"
            title="End all of your sessions, this one included?"
            path={{ owner: "current" }}
          />
        ),
      }}
      columns={columns}
      empty={<Empty title="No sessions" />}
    />
  )
}

const columns: Column<Session>[] = [
  {
    title: "Who",
    cell: ({ owner, current }) => (
      <span dir="auto">
        {owner.name}
        {current && ` (this one)`}
      </span>
    ),
  },
  { title: "Scopes", cell: ({ scopes }) => <Mono>{scopes.join(", ")}</Mono> },
  { title: "Last used", cell: ({ last_used_at }) => <Ago at={last_used_at} /> },
  { title: "Since", cell: ({ created_at }) => <Time at={created_at} />, minor: true },
  { title: "Ends", cell: ({ expires_at }) => <Time at={expires_at} />, minor: true },
  { title: "Id", cell: ({ owner }) => <Mono>{owner.id}</Mono>, minor: true },
  {
    title: "Action",
    cell: ({ id, owner }) => <End label="End" title={`End the session of “${owner.name}”?`} path={{ id }} />,
    end: true,
  },
]

type Which = { id: string } | { owner: string }

function End({ label, title, path }: { label: string; title: string; path: Which }) {
  const run = () => ("id" in path ? api.endSession({ ...path }) : api.endSessions({ ...path }))
  return (
    <Action label={label} size="compact-sm" danger title={title} run={run} done="Ended">
      Its next request is rejected. Keys remain valid: to keep somebody out, revoke the key, too.
    </Action>
  )
}
