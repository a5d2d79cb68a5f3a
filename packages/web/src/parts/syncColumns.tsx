import type { Schemas } from "../api/client.ts"
import { formatBytes, formatMs } from "../format.ts"
import { texts } from "../texts.ts"
import type { Column } from "./Rows.tsx"
import { SyncOutcome } from "./states.tsx"
import classes from "./syncColumns.module.css"
import { Time } from "./Time.tsx"

const t = texts.windows
type Sync = Schemas["Sync"]

/** What a table of syncs shows about each. */
export const syncColumns: [Column<Sync>, ...Column<Sync>[]] = [
  { title: t.columns.started, cell: ({ started_at }) => <Time at={started_at} /> },
  {
    title: t.columns.triggers,
    cell: ({ triggers, first_trigger_at, last_trigger_at }) => (
      <>
        {t.count(triggers)}
        {first_trigger_at && last_trigger_at && (
          <span className={classes.span}>
            <Time at={first_trigger_at} format="time" />
            {first_trigger_at !== last_trigger_at && (
              <>
                {" – "}
                <Time at={last_trigger_at} format="time" />
              </>
            )}
          </span>
        )}
      </>
    ),
  },
  {
    title: t.columns.outcome,
    cell: ({ outcome, reason }) => (
      <>
        <SyncOutcome outcome={outcome} /> {reason}
      </>
    ),
  },
  {
    title: t.columns.duration,
    cell: ({ started_at, finished_at }) =>
      finished_at ? formatMs(Date.parse(finished_at) - Date.parse(started_at)) : "–",
    end: true,
    minor: true,
  },
  {
    title: t.columns.size,
    cell: ({ bytes }) => (bytes === null ? "–" : formatBytes(bytes)),
    end: true,
    minor: true,
  },
]
