import type { Incident as OpenIncident } from "@sitewire/contracts"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { openIncidentsQuery } from "../../api/queries.ts"
import { Icon } from "../../parts/Icon.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Notice, ProblemAlert } from "../../parts/Notice.tsx"
import { Since } from "../../parts/Time.tsx"
import { Acknowledge } from "./Acknowledge.tsx"
import classes from "./Incidents.module.css"

/** What is wrong, in the words and the order of the API. */
export function Incidents() {
  const { data, error } = useQuery(openIncidentsQuery)
  return (
    <section aria-label="Current incidents" className={classes.incidents}>
      {error && <ProblemAlert error={error} title="What is wrong cannot be read" />}
      {data?.incidents.length === 0 && (
        <Notice kind="good" title="No incidents">
          No channel or connection is failing, no consumer is behind, no delivery of the last 7 days is dead,
          and no event of the last 24 hours was invalid.
        </Notice>
      )}
      {data?.channels && <p className={classes.channels}>{data.channels}</p>}
      {data && data.incidents.length > 0 && (
        <ul className={classes.list}>
          {data.incidents.map((incident) => (
            <Incident key={incident.id} incident={incident} />
          ))}
        </ul>
      )}
      {!data && !error && <Loading rows={2} />}
      <Link to="/resolved-incidents" className={classes.resolved}>
        Resolved incidents
      </Link>
    </section>
  )
}

/** By urgency. */
const kinds = ["", "bad", "warn", "idle"]

function Incident({ incident }: { incident: OpenIncident }) {
  const { operates } = useAccess()
  const { urgency, summary, detail, since, next_step, page, acknowledgement } = incident
  return (
    <li data-kind={acknowledgement ? "idle" : kinds[urgency]}>
      <Icon name={acknowledgement ? "check" : urgency === 3 ? "pause" : "warning"} />
      <div className={classes.text}>
        <strong>{summary}</strong>
        <span>{detail}</span>
        {acknowledgement && (
          <span dir="auto">{`Acknowledged by ${acknowledgement.by} until it is resolved: ${acknowledgement.note}`}</span>
        )}
      </div>
      <div className={classes.since}>
        for <Since at={since} />
      </div>
      <div className={classes.next}>
        {page === null ? (
          operates && next_step
        ) : (
          <PageLink page={page}>{operates ? next_step : "See more"}</PageLink>
        )}
        {operates && <Acknowledge incident={incident} title={summary} />}
      </div>
    </li>
  )
}

function PageLink({ page, children }: { page: string; children: string }) {
  const { pathname, searchParams } = new URL(page, location.origin)
  return (
    <Link {...({ to: pathname, search: Object.fromEntries(searchParams) } as { to: string })}>
      {children} <Icon name="arrow" size={15} />
    </Link>
  )
}
