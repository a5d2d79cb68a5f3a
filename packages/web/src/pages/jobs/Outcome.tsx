import type { JobOutcome } from "@sitewire/contracts"
import { Link } from "@tanstack/react-router"
import { formatCounted } from "../../format.ts"
import { Figures } from "../../parts/Facts.tsx"
import { Section } from "../../parts/Page.tsx"
import { texts } from "../../texts.ts"

const t = texts.job.outcome
const always = ["delivered", "pending", "dead"] as const
const seldom = ["cancelled", "erased"] as const

/** What became of the deliveries of a resend, with links to them. */
export function Outcome({ job, outcome }: { job: string; outcome: JobOutcome }) {
  const shown = [...always, ...seldom.filter((state) => outcome[state] > 0)]
  return (
    <Section title={t.title}>
      <Figures
        figures={shown.map((state) => [
          t.states[state],
          formatCounted(outcome[state]),
          outcome[state] > 0 && <Deliveries key={state} job={job} state={state} />,
        ])}
      />
      <p className="dimmed">{t.later}</p>
    </Section>
  )
}

/** What waits may have been delivered before, so it is not found by its state. */
function Deliveries({ job, state }: { job: string; state: keyof JobOutcome }) {
  return (
    <Link
      to="/deliveries"
      search={state === "pending" ? { job } : { job, state }}
      aria-label={t.show(t.states[state])}
    >
      {t.showThem}
    </Link>
  )
}
