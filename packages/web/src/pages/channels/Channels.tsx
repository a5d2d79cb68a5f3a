import { TextInput } from "@mantine/core"
import type { ListedChannel } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useAccess } from "../../api/access.ts"
import { type FilterOf, listOf } from "../../api/queries.ts"
import { useFilters } from "../../app/search.ts"
import { useTyped } from "../../app/useTyped.ts"
import { SelectFilter } from "../../parts/Filters.tsx"
import { ListPage } from "../../parts/ListPage.tsx"
import { Empty } from "../../parts/Page.tsx"
import { ChannelRef, Mono } from "../../parts/Ref.tsx"
import type { Column } from "../../parts/Rows.tsx"
import { State } from "../../parts/State.tsx"
import { ChannelHealth } from "../../parts/states.tsx"
import { Time } from "../../parts/Time.tsx"
import { failureName, pageNames } from "../../words.ts"
import classes from "./Channels.module.css"
import { CreateChannel } from "./CreateChannel.tsx"

const rotationNames = { staged: "New secret staged", retiring: "Old secret retiring" } as const

type Channel = ListedChannel

export function Channels() {
  const { operates, reads } = useAccess()
  const [filter, change] = useFilters<FilterOf<"listChannels">>()
  const list = useInfiniteQuery(listOf("listChannels", filter))
  const [text, setText] = useTyped(filter.q ?? "", (q) => change({ q: q || undefined }))
  const isFiltered = Object.keys(filter).length > 0
  return (
    <ListPage
      title={pageNames.channels}
      actions={operates && <CreateChannel />}
      filters={
        reads && (
          <>
            <TextInput
              label="Search"
              placeholder="Id, or host of the address"
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <SelectFilter
              label="Health"
              values={{ failing: "Failing", ok: "Healthy" }}
              value={filter.health}
              change={(health) => change({ health })}
            />
            <SelectFilter
              label="Sending"
              values={{ true: "Paused", false: "Active" }}
              value={filter.paused}
              change={(paused) => change({ paused })}
            />
          </>
        )
      }
      list={list}
      columns={columns}
      empty={
        <Empty title={isFiltered ? "No channel matches these filters" : "No channels yet"}>
          {!isFiltered && operates && "Create one with the partner's notification address."}
        </Empty>
      }
    />
  )
}

const columns: Column<Channel>[] = [
  { title: "Channel", cell: ({ id }) => <ChannelRef id={id} /> },
  { title: "Address", cell: ({ address }) => <Mono>{address}</Mono> },
  {
    title: "Health",
    cell: (channel) => (
      <span className={classes.states}>
        <ChannelHealth {...channel} />
        {channel.paused_at && <State kind="warn">Paused</State>}
      </span>
    ),
  },
  {
    title: "Last error",
    cell: ({ last_error: error, last_status: status }) =>
      error === null ? "–" : failureName({ error, status }),
    whole: true,
  },
  {
    title: "Rotation",
    cell: ({ other_secret }) => (other_secret ? rotationNames[other_secret.state] : "–"),
    minor: true,
  },
  { title: "Created", cell: ({ created_at }) => <Time at={created_at} format="date" />, minor: true },
]
