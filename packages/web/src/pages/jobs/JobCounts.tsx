import type { Schemas } from "../../api/client.ts"
import { formatNumber } from "../../format.ts"
import { Figures } from "../../parts/Facts.tsx"
import { Section } from "../../parts/Page.tsx"
import { texts } from "../../texts.ts"
import { countsOf } from "./counts.ts"

const t = texts.job
const groups = Object.values(t.groups).map(({ title, names }) => ({
  title,
  names: names as Record<string, string>,
}))

/** What a job has done, in groups with plain names. */
export function JobCounts({ counts }: Pick<Schemas["Job"], "counts">) {
  const known = new Set(groups.flatMap(({ names }) => Object.keys(names)))
  const others = countsOf(Object.fromEntries(Object.entries(counts).filter(([name]) => !known.has(name))))
  const shown = [
    ...groups.map(({ title, names }) => ({
      title,
      figures: Object.entries(names).flatMap(([name, text]) => {
        const count = counts[name]
        return count === undefined ? [] : [[text, count] as const]
      }),
    })),
    { title: t.otherCounts, figures: others },
  ].filter(({ figures }) => figures.length > 0)
  if (shown.length === 0) return <Section title={t.counts}>{t.nothingYet}</Section>
  return shown.map(({ title, figures }) => (
    <Section key={title} title={`${t.counts}: ${title}`}>
      <Figures figures={figures.map(([name, count]) => [name, formatNumber(count)] as const)} />
    </Section>
  ))
}
