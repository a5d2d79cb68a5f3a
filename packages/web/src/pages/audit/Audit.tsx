import { Select, TextInput } from "@mantine/core"
import type { AuditEntry } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { type AuditFilter, auditQuery, keysQuery } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { useTyped } from "../../app/useTyped.ts"
import { ChannelInput } from "../../parts/ChannelInput.tsx"
import { HistoryPage } from "../../parts/HistoryPage.tsx"
import { Empty } from "../../parts/Page.tsx"
import { ChannelRef, ConnectionRef, DeliveryRef, JobRef, Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { SelectFilter } from "../../parts/SelectFilter.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import classes from "./Audit.module.css"

const t = texts.audit
type Entry = AuditEntry

export function Audit() {
  const [filter, change] = useFilters<AuditFilter>()
  const list = useInfiniteQuery(auditQuery(filter))
  const [target, setTarget] = useTyped(filter.target ?? "", (text) => change({ target: text || undefined }))
  return (
    <HistoryPage
      title={texts.pages.audit}
      filter={filter}
      change={change}
      list={list}
      columns={columns}
      empty={<Empty title={t.none} />}
    >
      <Select
        label={t.operation}
        placeholder={texts.common.all}
        clearable
        searchable
        data={Object.entries(t.operations).map(([value, label]) => ({ value, label }))}
        value={filter.operation ?? null}
        onChange={(operation) => change({ operation: operation ?? undefined })}
      />
      <SelectFilter
        label={t.shown}
        values={{ true: t.revealed }}
        value={filter.revealed === "true" ? "true" : undefined}
        change={(revealed) => change({ revealed })}
      />
      <Who value={filter.key} change={(key) => change({ key })} />
      <SelectFilter
        label={t.about}
        values={t.kinds}
        value={filter.target_kind}
        change={(target_kind) => change({ target_kind, target: undefined })}
      />
      {filter.target_kind === "channel" && (
        <ChannelInput label={t.target} placeholder={texts.common.all} value={target} change={setTarget} />
      )}
      {filter.target_kind !== undefined && filter.target_kind !== "channel" && (
        <TextInput
          label={t.target}
          value={target}
          onChange={(event) => setTarget(event.currentTarget.value)}
        />
      )}
    </HistoryPage>
  )
}

function Who({ value, change }: { value: string | undefined; change: (key: string | undefined) => void }) {
  const { data } = useInfiniteQuery(keysQuery())
  const keys = (data?.pages ?? []).flatMap((page) => page.data)
  return (
    <Select
      label={t.columns.who}
      placeholder={texts.common.all}
      clearable
      searchable
      data={keys.map(({ id, name }) => ({ value: id, label: `${name} (${id})` }))}
      value={value ?? null}
      onChange={(key) => change(key ?? undefined)}
    />
  )
}

const columns: Column<Entry>[] = [
  { title: t.columns.time, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: t.columns.who,
    cell: ({ key: { name, id }, client_address }) => (
      <span dir="auto" title={client_address === null ? id : `${id}, ${client_address}`}>
        {name}
      </span>
    ),
  },
  { title: t.columns.operation, cell: ({ operation }) => nameOf(operation) },
  { title: t.columns.target, cell: ({ target }) => <Target target={target} /> },
  { title: t.columns.changes, cell: ({ changes }) => <Changes changes={changes} /> },
  { title: t.columns.request, cell: ({ request_id }) => <Mono>{request_id}</Mono>, minor: true, whole: true },
]

function nameOf(operation: string): string {
  return t.operations[operation as keyof typeof t.operations] ?? operation
}

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
  if (value === null) return t.nothing
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
