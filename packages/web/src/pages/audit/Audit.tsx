import { TextInput } from "@mantine/core"
import { useInfiniteQuery } from "@tanstack/react-query"
import type { Schemas } from "../../api/client.ts"
import { type AuditFilter, auditQuery } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { useTyped } from "../../app/useTyped.ts"
import { Filters } from "../../parts/Filters.tsx"
import { Empty, PageHead } from "../../parts/Page.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { ChannelRef, ConnectionRef, DeliveryRef, JobRef, Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { SelectFilter } from "../../parts/SelectFilter.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import classes from "./Audit.module.css"

const t = texts.audit
type Entry = Schemas["AuditEntry"]

export function Audit() {
  const [filter, change] = useFilters<AuditFilter>()
  const list = useInfiniteQuery(auditQuery(filter))
  const [operation, setOperation] = useTyped(filter.operation ?? "", (text) =>
    change({ operation: text || undefined }),
  )
  return (
    <>
      <PageHead title={texts.pages.audit} />
      <Filters>
        <TextInput
          label={t.operation}
          placeholder="changeChannel"
          value={operation}
          onChange={(event) => setOperation(event.currentTarget.value)}
        />
        <SelectFilter
          label={t.about}
          values={t.kinds}
          value={filter.target_kind}
          change={(target_kind) => change({ target_kind, target: undefined })}
        />
      </Filters>
      <PagedTable
        list={list}
        label={texts.pages.audit}
        columns={columns}
        keyOf={({ id }) => id}
        empty={<Empty title={t.none} />}
      />
    </>
  )
}

const columns: Column<Entry>[] = [
  { title: t.columns.time, cell: ({ created_at }) => <Time at={created_at} /> },
  {
    title: t.columns.who,
    cell: ({ key: { name, id } }) => (
      <span dir="auto" title={id}>
        {name}
      </span>
    ),
  },
  { title: t.columns.operation, cell: ({ operation }) => <Mono>{operation}</Mono>, whole: true },
  { title: t.columns.target, cell: ({ target }) => <Target target={target} /> },
  { title: t.columns.changes, cell: ({ changes }) => <Changes changes={changes} /> },
  { title: t.columns.request, cell: ({ request_id }) => <Mono>{request_id}</Mono>, minor: true, whole: true },
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
  if (value === null) return t.nothing
  return typeof value === "object" ? JSON.stringify(value) : String(value)
}
