import type { Job } from "@sitewire/contracts"
import { formatNumber } from "../../format.ts"
import { Figures } from "../../parts/Facts.tsx"
import { Section } from "../../parts/Page.tsx"
import { groupCounts } from "./counts.ts"

/** What a job has done, in groups with plain names. */
export function JobCounts({ job }: { job: Pick<Job, "kind" | "counts"> }) {
  const shown = groupCounts(job)
  if (shown.length === 0) return <Section title="What it has done">Nothing yet.</Section>
  return shown.map(({ title, figures }) => (
    <Section key={title} title={`What it has done: ${title}`}>
      <Figures figures={figures.map(([name, count]) => [name, formatNumber(count)] as const)} />
    </Section>
  ))
}
