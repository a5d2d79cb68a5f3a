import type { JobOutcome } from "@sitewire/contracts"
import { Link } from "@tanstack/react-router"
import { formatCounted } from "../../format.ts"
import { Figures } from "../../parts/Facts.tsx"
import { Section } from "../../parts/Page.tsx"
import { deliveryStates } from "../../words.ts"

const stateNames = { ...deliveryStates, dead: "Dead again" }

const always = ["delivered", "pending", "dead"] as const
const seldom = ["cancelled", "erased"] as const

/** What became of the deliveries of a resend, with links to them. */
export function Outcome({ job, outcome }: { job: string; outcome: JobOutcome }) {
  const shown = [...always, ...seldom.filter((state) => outcome[state] > 0)]
  return (
    <Section title="What became of its deliveries">
      <Figures
        figures={shown.map((state) => [
          stateNames[state],
          formatCounted(outcome[state]),
          outcome[state] > 0 && <Deliveries key={state} job={job} state={state} />,
        ])}
      />
      <p className="dimmed">
        Without those that a later job has resent or erased, and those that were deleted by their age.
      </p>
    </Section>
  )
}

/** What waits may have been delivered before, so it is not found by its state. */
function Deliveries({ job, state }: { job: string; state: keyof JobOutcome }) {
  return (
    <Link
      to="/deliveries"
      search={state === "pending" ? { job } : { job, state }}
      aria-label={`Show them: ${stateNames[state].toLowerCase()}`}
    >
      Show them
    </Link>
  )
}
