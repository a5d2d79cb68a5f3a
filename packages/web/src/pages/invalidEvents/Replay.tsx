import { Autocomplete } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import type { InvalidEvent } from "@sitewire/contracts"
import { useState } from "react"
import { postDryRun } from "../../api/client.ts"
import { DialogButton } from "../../parts/FormDialog.tsx"
import { DryRunNotice } from "../../parts/job/DryRunNotice.tsx"
import { defaultRate, RateInput } from "../../parts/job/RateInput.tsx"
import { StartJob } from "../../parts/job/StartJob.tsx"
import { useDryRun } from "../../parts/job/useDryRun.ts"

/** Publishes invalid events again, for instance after their channel was created. */
export function Replay({ rows }: { rows: readonly InvalidEvent[] }) {
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
