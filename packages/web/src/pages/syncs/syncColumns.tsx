import type { ListedSync } from "@sitewire/contracts"
import { formatBytes, formatMs } from "../../format.ts"
import { ConnectionRef } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { SyncOutcome } from "../../parts/states.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import classes from "./syncColumns.module.css"

const t = texts.syncs

/** What a table of syncs shows about each. */
export const syncColumns: Column<ListedSync>[] = [
  { title: t.columns.started, cell: ({ started_at }) => <Time at={started_at} /> },
  { title: t.columns.connection, cell: ({ connection }) => <ConnectionRef id={connection} /> },
  { title: t.columns.site, cell: ({ site }) => <span dir="auto">{site}</span>, minor: true },
  {
    title: t.columns.triggers,
    cell: ({ triggers, first_trigger_at, last_trigger_at }) => (
      <>
        {texts.windows.count(triggers)}
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
    whole: true,
  },
  {
    title: t.columns.size,
    cell: ({ bytes }) => (bytes === null ? "–" : formatBytes(bytes)),
    end: true,
    minor: true,
    whole: true,
  },
]
