import { Button, Select, TextInput } from "@mantine/core"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import type { DeliveryFilter } from "../../api/queries.ts"
import { unset } from "../../app/search.ts"
import { useTyped } from "../../app/useTyped.ts"
import { ChannelInput } from "../../parts/ChannelInput.tsx"
import { SelectFilter } from "../../parts/Filters.tsx"
import { Icon } from "../../parts/Icon.tsx"
import { TimeRange } from "../../parts/TimeRange.tsx"
import { deliveryStates } from "../../words.ts"
import classes from "./DeliveryFilters.module.css"

const fieldNames = { reference: "Reference", event_id: "Event id", site_url: "Site" } as const

const placeholders = {
  reference: "user-4711",
  event_id: "evt_2026_000017",
  site_url: "https://shop.example",
} as const

const fields = Object.keys(fieldNames) as (keyof typeof fieldNames)[]

type Change = (change: DeliveryFilter) => void

export function DeliveryFilters({ filter, change }: { filter: DeliveryFilter; change: Change }) {
  const { reads, channels } = useAccess()
  return (
    <search className={classes.filters}>
      <Find filter={filter} change={change} />
      {reads ? (
        <ChannelFilter filter={filter} change={change} />
      ) : (
        channels.length > 1 && (
          <SelectFilter
            label="Channel"
            values={Object.fromEntries(channels.map((id) => [id, id]))}
            value={filter.channel}
            change={(channel) => change({ channel })}
          />
        )
      )}
      <SelectFilter
        label="State"
        values={deliveryStates}
        value={filter.state}
        change={(state) => change({ state })}
      />
      {filter.job !== undefined && <TextInput label="Job" value={filter.job} readOnly />}
      <TimeRange
        after={filter.created_after}
        before={filter.created_before}
        change={({ after, before }) => change({ created_after: after, created_before: before })}
      />
      {Object.keys(filter).length > 0 && <ClearFilters clear={() => change(unset(filter))} />}
    </search>
  )
}

function Find({ filter, change }: { filter: DeliveryFilter; change: Change }) {
  const given = fields.find((name) => filter[name] !== undefined)
  const [field, setField] = useState<(typeof fields)[number]>(given ?? "reference")
  const [text, setText] = useTyped(given ? (filter[given] ?? "") : "", (value) =>
    change({ ...Object.fromEntries(fields.map((name) => [name, undefined])), [field]: value || undefined }),
  )
  return (
    <div className={classes.find}>
      <Select
        aria-label="Find by"
        label="Find by"
        allowDeselect={false}
        data={fields.map((value) => ({ value, label: fieldNames[value] }))}
        value={field}
        onChange={(value) => {
          const next = fields.find((name) => name === value) ?? "reference"
          setField(next)
          if (text !== "") change({ [field]: undefined, [next]: text })
        }}
      />
      <TextInput
        aria-label={fieldNames[field]}
        placeholder={placeholders[field]}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
    </div>
  )
}

function ChannelFilter({ filter, change }: { filter: DeliveryFilter; change: Change }) {
  const [text, setText] = useTyped(filter.channel ?? "", (value) => change({ channel: value || undefined }))
  return <ChannelInput label="Channel" placeholder="All" value={text} change={setText} />
}

function ClearFilters({ clear }: { clear: () => void }) {
  return (
    <Button
      variant="subtle"
      color="gray"
      c="dimmed"
      leftSection={<Icon name="cross" size={14} />}
      onClick={clear}
    >
      Clear filters
    </Button>
  )
}
