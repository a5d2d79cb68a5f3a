import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { windowsQuery } from "../../api/queries.ts"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Empty } from "../../parts/Page.tsx"
import { Table } from "../../parts/Rows.tsx"
import { syncColumns } from "../../parts/syncColumns.tsx"
import { Ago } from "../../parts/Time.tsx"
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
        rows={windows.slice(0, 10).map(({ sync }) => sync)}
        columns={syncColumns}
        keyOf={({ fence }) => String(fence)}
      />
      <Link to="/syncs" search={{ connection: id }} className={classes.all}>
        {t.all}
      </Link>
    </div>
  )
}
