import { Autocomplete } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import type { InvalidEvent } from "@sitewire/contracts"
import { useState } from "react"
import { postDryRun } from "../../api/client.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { DryRunNotice } from "../../parts/job/DryRunNotice.tsx"
import { defaultRate, RateInput } from "../../parts/job/RateInput.tsx"
import { StartJob } from "../../parts/job/StartJob.tsx"
import { useDryRun } from "../../parts/job/useDryRun.ts"
import { texts } from "../../texts.ts"

const t = texts.replay

/** Publishes invalid events again, for instance after their channel was created. */
export function Replay({ rows }: { rows: readonly InvalidEvent[] }) {
  return (
    <DialogButton label={t.label} icon="resend">
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
      title={t.title}
      confirm={t.label}
      ready={counted === rejection.trim() && (count.data?.matching ?? 0) > 0}
      start={(post, reason) => {
        const body = { filter: { reason: counted }, reason, per_second: rate, dry_run: false }
        return post.createReplayJob({ body })
      }}
      close={close}
    >
      <Autocomplete
        label={t.rejection}
        description={t.rejectionHint}
        data={reasons}
        value={rejection}
        onChange={setRejection}
        data-autofocus
      />
      <DryRunNotice count={count} title={t.matching}>
        {t.explain}
      </DryRunNotice>
      <RateInput rate={rate} change={setRate} label={t.rate} />
    </StartJob>
  )
}
