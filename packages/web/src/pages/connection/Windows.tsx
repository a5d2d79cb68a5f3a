import { useQuery } from "@tanstack/react-query"
import type { Schemas } from "../../api/client.ts"
import { windowsQuery } from "../../api/queries.ts"
import { formatBytes, formatMs } from "../../format.ts"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Empty } from "../../parts/Page.tsx"
import { type Column, Table } from "../../parts/Rows.tsx"
import { SyncOutcome } from "../../parts/states.tsx"
import { Ago, Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { Strip } from "./Strip.tsx"
import classes from "./Windows.module.css"

const t = texts.windows

/** Which triggers were merged into which sync. */
export function Windows({ id }: { id: string }) {
  const { data, error, refetch } = useQuery(windowsQuery(id))
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading />
  const { data: windows, pending } = data
  if (windows.length === 0 && !pending) return <Empty title={t.none}>{t.noneMore}</Empty>
  return (
    <div className={classes.windows}>
      <Strip windows={windows} pending={pending} />
      {pending && (
        <p className={classes.pending}>
          {t.pending(pending.triggers.count)} <Ago at={pending.earliest_start_at} due />.
        </p>
      )}
      <Table
        label={texts.connection.windows}
        rows={windows.slice(0, 10)}
        columns={columns}
        keyOf={({ sync }) => String(sync.fence)}
      />
    </div>
  )
}

const columns: Column<Schemas["Window"]>[] = [
  { title: t.columns.started, cell: ({ sync }) => <Time at={sync.started_at} /> },
  {
    title: t.columns.triggers,
    cell: ({ triggers: { count, first_at, last_at } }) => (
      <>
        {t.count(count)}
        {first_at && last_at && (
          <span className={classes.span}>
            <Time at={first_at} format="time" />
            {first_at !== last_at && (
              <>
                {" – "}
                <Time at={last_at} format="time" />
              </>
            )}
          </span>
        )}
      </>
    ),
  },
  {
    title: t.columns.outcome,
    cell: ({ sync: { outcome, error } }) => (
      <>
        <SyncOutcome outcome={outcome} /> {error}
      </>
    ),
  },
  {
    title: t.columns.duration,
    cell: ({ sync: { started_at, finished_at } }) =>
      finished_at ? formatMs(Date.parse(finished_at) - Date.parse(started_at)) : "–",
    end: true,
    minor: true,
  },
  {
    title: t.columns.size,
    cell: ({ sync: { bytes } }) => (bytes === null ? "–" : formatBytes(bytes)),
    end: true,
    minor: true,
  },
]
