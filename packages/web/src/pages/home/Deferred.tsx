import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { statisticsQuery } from "../../api/queries.ts"
import { formatNumber } from "../../format.ts"
import { Section } from "../../parts/Page.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import classes from "./Overview.module.css"
import { filterOf, type Range } from "./series.ts"

const t = texts.charts

/** Deliveries that wait for capacity, by reason. */
export function Deferred({ range, channel }: { range: Range; channel?: string }) {
  const { data } = useQuery(statisticsQuery(filterOf(range, channel)))
  const deferred = data?.deferred
  if (!deferred) return null
  const reasons = Object.entries(deferred.by_reason).filter(([, count]) => count > 0)
  const most = Math.max(...reasons.map(([, count]) => count))
  return (
    <Section
      title={t.deferred}
      aside={
        <small className={classes.at}>
          {t.countedAt} <Time at={deferred.counted_at} />
        </small>
      }
    >
      {reasons.length === 0 ? (
        <p className={classes.none}>{t.noneDeferred}</p>
      ) : (
        <ul className={classes.reasons}>
          {reasons
            .toSorted(([, a], [, b]) => b - a)
            .map(([reason, count]) => (
              <li key={reason}>
                <Link to="/deliveries" search={{ waiting_for: reason, ...(channel ? { channel } : {}) }}>
                  {texts.waitingFor[reason as keyof typeof texts.waitingFor]}
                </Link>
                <meter min={0} max={most} value={count} aria-hidden="true" />
                <b>{formatNumber(count)}</b>
              </li>
            ))}
        </ul>
      )}
    </Section>
  )
}
