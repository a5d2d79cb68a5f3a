import { Link } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { Icon } from "../../parts/Icon.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { ProblemAlert } from "../../parts/ProblemAlert.tsx"
import { Since } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { Acknowledge } from "./Acknowledge.tsx"
import classes from "./Problems.module.css"
import { type CurrentProblem, isAcknowledged, useProblems } from "./problems.ts"

const t = texts.problems

export function Problems() {
  const { problems, complete, errors } = useProblems()
  return (
    <section aria-label={t.title} className={classes.problems}>
      {errors.map((error) => (
        <ProblemAlert key={String(error)} error={error} title={t.unknown} />
      ))}
      {complete && problems.length === 0 && (
        <Notice kind="good" title={t.none}>
          {t.noneMore}
        </Notice>
      )}
      {problems.length > 0 && (
        <ul className={classes.list}>
          {problems.map((problem) => (
            <Problem key={problem.id} problem={problem} />
          ))}
        </ul>
      )}
      {!complete && errors.length === 0 && <Loading rows={problems.length === 0 ? 2 : 1} />}
      <Link to="/resolved-problems" className={classes.resolved}>
        {t.resolved}
      </Link>
    </section>
  )
}

function Problem({ problem }: { problem: CurrentProblem }) {
  const { operates } = useAccess()
  const { urgency, title, detail, since, stored, next, link } = problem
  const calm = isAcknowledged(problem)
  return (
    <li data-urgency={calm ? 3 : urgency}>
      <Icon name={calm ? "check" : urgency === 3 ? "pause" : "warning"} />
      <div className={classes.text}>
        <strong>{title}</strong>
        <span>{detail}</span>
        {stored?.acknowledgement && (
          <span dir="auto">{t.acknowledgedBy(stored.acknowledgement.by, stored.acknowledgement.note)}</span>
        )}
      </div>
      <div className={classes.since}>
        {since && (
          <>
            {t.for} <Since at={since} />
          </>
        )}
      </div>
      <div className={classes.next}>
        {link ? (
          <Link {...(link as { to: string })}>
            {next} <Icon name="arrow" size={15} />
          </Link>
        ) : (
          next
        )}
        {operates && stored && <Acknowledge problem={stored} title={title} />}
      </div>
    </li>
  )
}
