import { Autocomplete } from "@mantine/core"
import { useDebouncedValue } from "@mantine/hooks"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { api, bodyOf, type Schemas } from "../../api/client.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { DryRunNotice } from "../../parts/job/DryRunNotice.tsx"
import { defaultRate, RateInput } from "../../parts/job/RateInput.tsx"
import { StartJob } from "../../parts/job/StartJob.tsx"
import { texts } from "../../texts.ts"

const t = texts.replay

/** Publishes invalid events again, for instance after their channel was created. */
export function Replay({ rows }: { rows: readonly Schemas["InvalidEvent"][] }) {
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
  const count = useQuery({
    queryKey: ["jobs", "count replay", counted],
    enabled: counted !== "",
    queryFn: async () => {
      const body = { filter: { reason: counted }, reason: "count", per_second: rate, dry_run: true }
      return (await bodyOf(api.POST("/v1/jobs/replay", { body }))) as Schemas["DryRun"]
    },
    gcTime: 0,
    retry: false,
  })
  return (
    <StartJob
      title={t.title}
      confirm={t.label}
      ready={counted === rejection.trim() && (count.data?.matching ?? 0) > 0}
      start={(reason) => {
        const body = { filter: { reason: counted }, reason, per_second: rate, dry_run: false }
        return bodyOf(api.POST("/v1/jobs/replay", { body }))
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
