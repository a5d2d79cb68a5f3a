import { useQuery } from "@tanstack/react-query"
import { formatNumber } from "../../../format.ts"
import { Failed } from "../../../parts/Failed.tsx"
import { Loading } from "../../../parts/Loading.tsx"
import { Scroll } from "../../../parts/Scroll.tsx"
import { texts } from "../../../texts.ts"
import type { Hunk, Line } from "./compare.ts"
import classes from "./Difference.module.css"
import { differenceQuery } from "./readDifference.ts"

const t = texts.changes

const sentences = {
  "not stored": t.notStored,
  "too large": t.tooLarge,
  "too different": t.tooDifferent,
  "only format": t.onlyFormat,
  "no text": t.noText,
} as const

/** What the sync with this fence changed, line by line. */
export function Difference({ id, fence }: { id: string; fence: number }) {
  const { data, error, refetch } = useQuery(differenceQuery(id, fence))
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading rows={3} />
  if (data.kind !== "lines") return <p className={classes.note}>{sentences[data.kind]}</p>
  const { hunks, added, removed, complete, formatted } = data
  return (
    <div className={classes.difference}>
      <p className={classes.note}>
        {t.lines} <b data-kind="added">{t.added(formatNumber(added))}</b>,{" "}
        <b data-kind="removed">{t.removed(formatNumber(removed))}</b>. {formatted && t.formatted}
      </p>
      <Scroll className={classes.scroll}>
        {hunks.map((hunk) => (
          <Lines key={hunk.start} hunk={hunk} />
        ))}
      </Scroll>
      {!complete && <p className={classes.note}>{t.cut}</p>}
    </div>
  )
}

function Lines({ hunk: { start, lines } }: { hunk: Hunk }) {
  return (
    <>
      <div className={classes.start}>{t.line(formatNumber(start))}</div>
      {lines.map((line, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity, and never change
        <OneLine key={index} line={line} />
      ))}
    </>
  )
}

const parts = { added: ["ins", "+"], removed: ["del", "−"], same: ["div", " "] } as const

function OneLine({ line: { kind, text } }: { line: Line }) {
  const [Part, sign] = parts[kind]
  return (
    <Part className={classes.line} data-kind={kind}>
      <span aria-hidden="true">{sign}</span>
      <bdi>{text}</bdi>
    </Part>
  )
}
