import { Autocomplete } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import type { InvalidEvent } from "@sitewire/contracts"
import { useInfiniteQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { postDryRun } from "../../api/client.ts"
import { listOf } from "../../api/queries.ts"
import { formatBytes } from "../../format.ts"
import { DialogButton } from "../../parts/FormDialog.tsx"
import { ListPage } from "../../parts/ListPage.tsx"
import { Empty } from "../../parts/Page.tsx"
import { DeliveryRef, Mono } from "../../parts/Ref.tsx"
import { type Column, rowsOf } from "../../parts/Rows.tsx"
import { DryRunNotice, defaultRate, RateInput, StartJob, useDryRun } from "../../parts/StartJob.tsx"
import { Time } from "../../parts/Time.tsx"
import { pageNames } from "../../words.ts"

export function InvalidEvents() {
  const { operates } = useAccess()
  const list = useInfiniteQuery(listOf("listInvalidEvents", {}))
  const rows = rowsOf(list)
  return (
    <ListPage
      title={pageNames.invalidEvents}
      actions={operates && rows.length > 0 && <Replay rows={rows} />}
      list={list}
      columns={columns}
      keyOf={({ from }) => from}
      empty={
        <Empty title="No invalid events">
          Each site.paid event was valid. One that is not appears here with the reason.
        </Empty>
      }
    />
  )
}

const columns: Column<InvalidEvent>[] = [
  { title: "Rejected", cell: ({ rejected_at }) => <Time at={rejected_at} /> },
  { title: "Reason", cell: ({ reason }) => reason },
  { title: "Event", cell: ({ event_id, key }) => event_id ?? key ?? "–" },
  { title: "Channel", cell: ({ channel }) => channel ?? "–" },
  {
    title: "Delivery",
    cell: ({ delivery }) =>
      delivery ? <DeliveryRef id={delivery}>Delivered since</DeliveryRef> : "Not delivered",
  },
  {
    title: "Size",
    cell: ({ bytes }) => (bytes === null ? "–" : formatBytes(bytes)),
    end: true,
    minor: true,
  },
  { title: "Record", cell: ({ from }) => <Mono>{from}</Mono>, minor: true },
]

/** Publishes invalid events again, for instance after their channel was created. */
function Replay({ rows }: { rows: readonly InvalidEvent[] }) {
  return (
    <DialogButton label="Replay" icon="resend">
      {(close) => <Dialog reasons={[...new Set(rows.map(({ reason }) => reason))]} close={close} />}
    </DialogButton>
  )
}

function Dialog({ reasons, close }: { reasons: string[]; close: () => void }) {
  const [rejection, setRejection] = useState(reasons[0] ?? "")
  const [rate, setRate] = useState(defaultRate)
  const [counted] = useDebouncedValue(rejection.trim(), 400)
  const count = useDryRun(
    ["replay", counted],
    (signal) => {
      const body = { filter: { reason: counted }, reason: "count", per_second: rate, dry_run: true }
      return postDryRun.createReplayJob({ body }, { signal })
    },
    { enabled: counted !== "" },
  )
  return (
    <StartJob
      title="Replay invalid events"
      confirm="Replay"
      ready={counted === rejection.trim() && (count.data?.matching ?? 0) > 0}
      start={(post, reason) => {
        const body = { filter: { reason: counted }, reason, per_second: rate, dry_run: false }
        return post.createReplayJob({ body })
      }}
      close={close}
    >
      <Autocomplete
        label="Events whose reason begins with"
        description="Create the missing channel first. An event that is itself invalid must be corrected and published again by its publisher."
        data={reasons}
        value={rejection}
        onChange={setRejection}
        data-autofocus
      />
      <DryRunNotice
        count={count}
        title={(count, one) => `${count} ${one ? "event" : "events"} will be published again`}
      >
        Events that are still invalid come back to this list. An event that was delivered is not delivered
        twice.
      </DryRunNotice>
      <RateInput rate={rate} change={setRate} label="Events per second" />
    </StartJob>
  )
}
