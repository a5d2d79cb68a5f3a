import type { PendingWindow, Window, WindowPage } from "@sitewire/contracts"
import { useQuery } from "@tanstack/react-query"
import { read } from "../../api/queries.ts"
import { formatBytes, formatMs } from "../../format.ts"
import { Loaded } from "../../parts/Loading.tsx"
import { Empty } from "../../parts/Page.tsx"
import { Ago, Time } from "../../parts/Time.tsx"
import timeline from "../../parts/Timeline.module.css"
import { syncOutcomes, triggersOf } from "../../words.ts"
import { Strip, windowKinds } from "./Strip.tsx"
import classes from "./Windows.module.css"

const passedOn = (count: number) =>
  `The next sync has its ${count === 1 ? "trigger" : triggersOf(count)}, too`

const covers = {
  running: (count: number) => `It covers ${triggersOf(count)}`,
  changed: (count: number) => `It covered ${triggersOf(count)}`,
  unchanged: (count: number) => `It covered ${triggersOf(count)}`,
  failed: passedOn,
  abandoned: passedOn,
}

const completeness = (span: string, one: boolean) =>
  one ? `Complete ${span} later.` : `Complete ${span} after the first.`

const listed = 10

/** Which accepted triggers each sync covered, and which wait for the next one. */
export function Windows({ id }: { id: string }) {
  const windows = useQuery(read("listWindows", { id, limit: 60 }))
  return <Loaded of={windows}>{(page) => <Found {...page} />}</Loaded>
}

function Found({ data: windows, pending }: WindowPage) {
  if (windows.length === 0 && !pending)
    return <Empty title="No syncs are stored">A trigger starts one. Old syncs are deleted.</Empty>
  return (
    <div className={classes.windows}>
      <Strip windows={windows} pending={pending} />
      <ol className={timeline.timeline} aria-label="Triggers and syncs">
        {pending && <NextSync pending={pending} />}
        {windows.slice(0, listed).map((window) => (
          <Sync key={window.sync.fence} window={window} />
        ))}
      </ol>
      <p className={classes.explain}>
        A trigger is a call of the trigger URL that got 202, or “Sync now”. Of more than two triggers of a
        sync, only the first and the last time are stored.
      </p>
    </div>
  )
}

function NextSync({ pending: { triggers, earliest_start_at: at } }: { pending: PendingWindow }) {
  return (
    <li data-kind="next">
      <div className={timeline.line}>
        <strong>Next sync</strong>
        <span className={timeline.at}>
          may start <Ago at={at} due /> · <Time at={at} />
        </span>
      </div>
      <p className={classes.sentence}>
        {`${triggersOf(triggers.count)} ${triggers.count === 1 ? "waits" : "wait"} for it`}
        <Accepted triggers={triggers} />.
      </p>
    </li>
  )
}

function Sync({ window: { sync, triggers, covered } }: { window: Window }) {
  const { outcome, reason, started_at, finished_at, bytes } = sync
  const { count, first_at } = triggers
  const name = syncOutcomes[outcome]
  return (
    <li data-kind={outcome === "running" ? "next" : windowKinds[outcome]}>
      <div className={timeline.line}>
        <strong>Sync</strong>
        <span className={timeline.outcome}>{reason === null ? name : `${name}: ${reason}`}</span>
        <span className={timeline.at}>
          <Time at={started_at} />
          {finished_at !== null && ` · ${formatMs(msBetween(started_at, finished_at))}`}
          {bytes !== null && ` · ${formatBytes(bytes)}`}
        </span>
      </div>
      <p className={classes.sentence}>
        {covers[outcome](count)}
        <Accepted triggers={triggers} />.
        {covered &&
          first_at !== null &&
          finished_at !== null &&
          ` ${completeness(formatMs(msBetween(first_at, finished_at)), count === 1)}`}
      </p>
    </li>
  )
}

/** When they were accepted: exactly, if there are at most two. */
function Accepted({ triggers: { count, first_at, last_at } }: { triggers: Window["triggers"] }) {
  if (first_at === null || last_at === null) return null
  const isRange = count > 2 && first_at !== last_at
  return (
    <>
      {isRange ? ", accepted from" : ", accepted at"} <Time at={first_at} />
      {first_at !== last_at && (
        <>
          {" "}
          {isRange ? "to" : "and"} <Time at={last_at} />
        </>
      )}
    </>
  )
}

function msBetween(from: string, to: string): number {
  return Date.parse(to) - Date.parse(from)
}
