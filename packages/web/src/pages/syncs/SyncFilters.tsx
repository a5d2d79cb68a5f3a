import { TextInput } from "@mantine/core"
import { useAccess } from "../../api/access.ts"
import type { SyncFilter } from "../../api/queries.ts"
import { useTyped } from "../../app/useTyped.ts"
import { ClearFilters } from "../../parts/ClearFilters.tsx"
import { SelectFilter } from "../../parts/SelectFilter.tsx"
import { TimeRange } from "../../parts/TimeRange.tsx"
import { texts } from "../../texts.ts"
import classes from "./SyncFilters.module.css"

const t = texts.syncs

type Props = {
  filter: SyncFilter
  change: (change: SyncFilter) => void
  /** Null: no filter is set. */
  clear: (() => void) | null
}

export function SyncFilters({ filter, change, clear }: Props) {
  const { reads } = useAccess()
  const [connection, setConnection] = useTyped(filter.connection ?? "", (value) =>
    change({ connection: value || undefined }),
  )
  const [site, setSite] = useTyped(filter.site ?? "", (value) => change({ site: value || undefined }))
  return (
    <search className={classes.filters}>
      <TextInput
        wrapperProps={{ "data-text": true }}
        label={t.connection}
        placeholder={texts.common.all}
        value={connection}
        onChange={(event) => setConnection(event.currentTarget.value)}
      />
      {reads && (
        <TextInput
          wrapperProps={{ "data-text": true }}
          label={t.site}
          placeholder={texts.common.all}
          value={site}
          onChange={(event) => setSite(event.currentTarget.value)}
        />
      )}
      <SelectFilter
        label={t.outcome}
        values={texts.states.sync}
        value={filter.outcome}
        change={(outcome) => change({ outcome })}
      />
      <TimeRange
        after={filter.started_after}
        before={filter.started_before}
        change={({ after, before }) => change({ started_after: after, started_before: before })}
      />
      {clear && <ClearFilters clear={clear} />}
    </search>
  )
}
