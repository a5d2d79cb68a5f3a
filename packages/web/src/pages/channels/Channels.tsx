import { TextInput } from "@mantine/core"
import type { ListedChannel } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { type ChannelFilter, channelsQuery } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { useTyped } from "../../app/useTyped.ts"
import { Filters } from "../../parts/Filters.tsx"
import { Empty, PageHead } from "../../parts/Page.tsx"
import { PagedTable } from "../../parts/PagedTable.tsx"
import { ChannelRef, Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { SelectFilter } from "../../parts/SelectFilter.tsx"
import { State } from "../../parts/State.tsx"
import { ChannelHealth } from "../../parts/states.tsx"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import classes from "./Channels.module.css"
import { CreateChannel } from "./CreateChannel.tsx"

const t = texts.channels
type Channel = ListedChannel

export function Channels() {
  const { operates, reads } = useAccess()
  const [filter, change] = useFilters<ChannelFilter>()
  const list = useInfiniteQuery(channelsQuery(filter))
  const [text, setText] = useTyped(filter.q ?? "", (q) => change({ q: q || undefined }))
  const isFiltered = Object.keys(filter).length > 0
  return (
    <>
      <PageHead title={texts.pages.channels}>{operates && <CreateChannel />}</PageHead>
      {reads && (
        <Filters>
          <TextInput
            label={t.search}
            placeholder={t.searchHint}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <SelectFilter
            label={t.health}
            values={{ failing: t.failing, ok: t.ok }}
            value={filter.health}
            change={(health) => change({ health })}
          />
          <SelectFilter
            label={t.sending}
            values={{ true: t.paused, false: t.active }}
            value={filter.paused}
            change={(paused) => change({ paused })}
          />
        </Filters>
      )}
      <PagedTable
        list={list}
        label={texts.pages.channels}
        columns={columns}
        keyOf={({ id }) => id}
        empty={
          <Empty title={isFiltered ? t.noneFound : t.none}>{!isFiltered && operates && t.noneMore}</Empty>
        }
      />
    </>
  )
}

const columns: Column<Channel>[] = [
  { title: t.columns.id, cell: ({ id }) => <ChannelRef id={id} /> },
  { title: t.columns.address, cell: ({ address }) => <Mono>{address}</Mono> },
  {
    title: t.columns.health,
    cell: (channel) => (
      <span className={classes.states}>
        <ChannelHealth {...channel} />
        {channel.paused_at && <State kind="warn">{t.paused}</State>}
      </span>
    ),
  },
  {
    title: t.columns.lastError,
    cell: ({ last_error: error, last_status: status }) =>
      error === null ? "–" : status === null ? texts.errorNames[error] : texts.deliveries.status(status),
    whole: true,
  },
  {
    title: t.columns.rotation,
    cell: ({ other_secret }) => (other_secret ? t.rotating[other_secret.state] : "–"),
    minor: true,
  },
  { title: t.columns.created, cell: ({ created_at }) => <Time at={created_at} format="date" />, minor: true },
]
