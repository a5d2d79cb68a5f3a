import { Select, TextInput } from "@mantine/core"
import { fromLocal, toLocal } from "./localTime.ts"
import classes from "./TimeRange.module.css"

const periodNames = {
  any: "Any time",
  hour: "Last hour",
  today: "Today",
  yesterday: "Yesterday",
  week: "Last 7 days",
} as const

type Range = { after: string | undefined; before: string | undefined }

/** A filter by time: a period of the list, or two times of the reader's zone, which is named. The values are in UTC. */
export function TimeRange({ after, before, change }: Range & { change: (range: Range) => void }) {
  return (
    <div className={classes.range}>
      <Select
        label="Period"
        placeholder={after === undefined && before === undefined ? "All" : "Own times"}
        data={Object.entries(periodNames).map(([value, label]) => ({ value, label }))}
        value={null}
        onChange={(period) => change(rangeOf(period as keyof typeof periodNames, new Date()))}
      />
      <TextInput
        type="datetime-local"
        label={`From (${zone})`}
        value={toLocal(after)}
        onChange={(event) => change({ before, after: fromLocal(event.currentTarget.value) })}
      />
      <TextInput
        type="datetime-local"
        label="Until"
        value={toLocal(before)}
        onChange={(event) => change({ after, before: fromLocal(event.currentTarget.value) })}
      />
    </div>
  )
}

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone

function rangeOf(period: keyof typeof periodNames, now: Date): Range {
  const midnight = (daysAgo: number) => {
    const at = new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)
    return at.toISOString()
  }
  switch (period) {
    case "hour":
      return { after: new Date(now.getTime() - 3_600_000).toISOString(), before: undefined }
    case "today":
      return { after: midnight(0), before: undefined }
    case "yesterday":
      return { after: midnight(1), before: midnight(0) }
    case "week":
      return { after: midnight(6), before: undefined }
    case "any":
      return { after: undefined, before: undefined }
  }
}
