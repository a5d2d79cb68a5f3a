import { TextInput } from "@mantine/core"
import type { AuditEntry } from "@sitewire/contracts"
import { routes } from "@sitewire/contracts/routes"
import { useInfiniteQuery } from "@tanstack/react-query"
import { type FilterOf, listOf } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { useTyped } from "../../app/useTyped.ts"
import { ChannelInput } from "../../parts/ChannelInput.tsx"
import { SelectFilter } from "../../parts/Filters.tsx"
import { ListPage } from "../../parts/ListPage.tsx"
import { Empty } from "../../parts/Page.tsx"
import { ChannelRef, ConnectionRef, DeliveryRef, JobRef, Mono } from "../../parts/Ref.tsx"
import { type Column, rowsOf } from "../../parts/Rows.tsx"
import { Time } from "../../parts/Time.tsx"
import { pageNames } from "../../words.ts"
import classes from "./Audit.module.css"

/** Of the API, those that are audited (see vite.config.ts), and what else is. */
const operations: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(routes).flatMap(([name, { summary }]) => (summary ? [[name, summary]] : [])),
  ),
  signIn: "Sign in",
  signOut: "Sign out",
  denyRequest: "Request was denied",
}

const kindNames = {
  channel: "Channels",
  connection: "Connections",
  delivery: "Deliveries",
  job: "Jobs",
  key: "API keys",
  operation: "Denied requests",
  incident: "Incidents",
  session: "Sessions",
  sign_in_link: "Sign-in links",
} as const

type Entry = AuditEntry

export function Audit() {
  const [filter, change] = useFilters<FilterOf<"listAudit">>()
  const list = useInfiniteQuery(listOf("listAudit", filter))
  const [target, setTarget] = useTyped(filter.target ?? "", (text) => change({ target: text || undefined }))
  return (
    <ListPage
      title={pageNames.audit}
      filters={
        <>
          <SelectFilter
            label="Operation"
            searchable
            values={operations}
            value={filter.operation}
            change={(operation) => change({ operation })}
          />
          <SelectFilter
            label="Shown"
            values={{ true: "Secrets and personal data" }}
            value={filter.revealed === "true" ? "true" : undefined}
            change={(revealed) => change({ revealed })}
          />
          <Who value={filter.key} change={(key) => change({ key })} />
          <SelectFilter
            label="About"
            values={kindNames}
            value={filter.target_kind}
            change={(target_kind) => change({ target_kind, target: undefined })}
          />
          {filter.target_kind === "channel" && (
            <ChannelInput label="Id" placeholder="All" value={target} change={setTarget} />
          )}
          {filter.target_kind !== undefined && filter.target_kind !== "channel" && (
            <TextInput label="Id" value={target} onChange={(event) => setTarget(event.currentTarget.value)} />
          )}
        </>
      }
      period={{ filter, change }}
      list={list}
      columns={columns}
      empty={<Empty title="No entries" />}
    />
  )
}

function Who({ value, change }: { value: string | undefined; change: (key: string | undefined) => void }) {
  const keys = rowsOf(useInfiniteQuery(listOf("listApiKeys", {})))
  return (
    <SelectFilter
      label="Who"
      searchable
      values={Object.fromEntries(keys.map(({ id, name }) => [id, `${name} (${id})`]))}
      value={value}
      change={change}
    />
  )
}

const columns: Column<Entry>[] = [
  { title: "Time", cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: "Who",
    cell: ({ key: { name, id }, client_address }) => (
      <span dir="auto" title={client_address === null ? id : `${id}, ${client_address}`}>
        {name}
      </span>
    ),
  },
  { title: "Operation", cell: ({ operation }) => operations[operation] ?? operation },
  { title: "About", cell: ({ target }) => <Target target={target} /> },
  { title: "Changes", cell: ({ changes }) => <Changes changes={changes} /> },
  { title: "Request", cell: ({ request_id }) => <Mono>{request_id}</Mono>, minor: true, whole: true },
]

function Target({ target: { kind, id } }: { target: Entry["target"] }) {
  if (kind === "channel") return <ChannelRef id={id} />
  if (kind === "connection") return <ConnectionRef id={id} />
  if (kind === "delivery") return <DeliveryRef id={id} />
  if (kind === "job") return <JobRef id={id} />
  return <Mono>{id}</Mono>
}

function Changes({ changes }: { changes: Entry["changes"] }) {
  const fields = Object.entries(changes as Record<string, { old: unknown; new: unknown }>)
  if (fields.length === 0) return "–"
  return (
    <dl className={classes.changes}>
      {fields.map(([name, { old, new: now }]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            {old !== null && (
              <>
                <del>{textOf(old)}</del> →{" "}
              </>
            )}
            {textOf(now)}
          </dd>
        </div>
      ))}
    </dl>
  )
}

function textOf(value: unknown): string {
  if (value === null) return "none"
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
