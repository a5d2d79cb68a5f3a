import type { Job } from "@sitewire/contracts"
import { formatNumber } from "../../format.ts"
import { Figures } from "../../parts/Facts.tsx"
import { Section } from "../../parts/Page.tsx"
import { texts } from "../../texts.ts"
import { groupCounts } from "./counts.ts"

const t = texts.job

/** What a job has done, in groups with plain names. */
export function JobCounts({ job }: { job: Pick<Job, "kind" | "counts"> }) {
  const shown = groupCounts(job)
  if (shown.length === 0) return <Section title={t.counts}>{t.nothingYet}</Section>
  return shown.map(({ title, figures }) => (
    <Section key={title} title={`${t.counts}: ${title}`}>
      <Figures figures={figures.map(([name, count]) => [name, formatNumber(count)] as const)} />
    </Section>
  ))
}
