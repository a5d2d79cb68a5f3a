import { Text } from "@mantine/core"
import type { Input } from "@sitewire/contracts/client"
import { useState } from "react"
import { postDryRun } from "../../api/client.ts"
import type { DeliveryFilter } from "../../api/queries.ts"
import { formatCounted, formatSpan } from "../../format.ts"
import { DialogButton } from "../../parts/DialogButton.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { DryRunNotice } from "../../parts/job/DryRunNotice.tsx"
import { defaultRate, RateInput } from "../../parts/job/RateInput.tsx"
import { StartJob } from "../../parts/job/StartJob.tsx"
import { useDryRun } from "../../parts/job/useDryRun.ts"
import { Time } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { StillFailing } from "./StillFailing.tsx"

const t = texts.bulkResend

type ResendFilter = Input<"createResendJob">["body"]["filter"]

/** Resends what the list shows. Null: a job has no such filter. */
function resendFilterOf(filter: DeliveryFilter): ResendFilter | null {
  const { channel, state, created_after, created_before, ...others } = filter
  if (Object.keys(others).length > 0 || state === "erased") return null
  return { channel, state, created_after, created_before }
}

export function BulkResend({ filter, label = t.label }: { filter: DeliveryFilter; label?: string }) {
  const resendFilter = resendFilterOf(filter)
  if (!resendFilter) return null
  return (
    <DialogButton label={label} icon="resend">
      {(close) => <Dialog filter={resendFilter} close={close} />}
    </DialogButton>
  )
}

function Dialog({ filter, close }: { filter: ResendFilter; close: () => void }) {
  const [rate, setRate] = useState(defaultRate)
  const count = useDryRun(["resend", filter], (signal) => {
    const body = { filter, reason: "count", per_second: rate, dry_run: true }
    return postDryRun.createResendJob({ body }, { signal })
  })
  const matching = count.data?.matching
  const more = count.data?.complete === false
  return (
    <StartJob
      title={t.title}
      confirm={matching === undefined ? t.label : t.confirm(formatCounted(matching, more))}
      ready={matching !== undefined && matching > 0}
      start={(post, reason) => {
        const body = { filter, reason, per_second: rate, dry_run: false }
        return post.createResendJob({ body })
      }}
      close={close}
    >
      <StillFailing channel={filter.channel} />
      <Facts facts={factsOf(filter)} />
      <DryRunNotice count={count} title={t.matching}>
        {t.explain(formatSpan(Math.max(1_000, ((matching ?? 0) / rate) * 1_000)), more)}
      </DryRunNotice>
      {filter.state === undefined && (
        <Text size="sm" c="dimmed">
          {t.anyState}
        </Text>
      )}
      <RateInput rate={rate} change={setRate} label={t.rate} description={t.rateHint} />
    </StartJob>
  )
}

/** The filter of the list, in words, because a job cannot be undone. */
function factsOf({ channel, state, created_after, created_before }: ResendFilter) {
  const words = t.filter
  const time = (at: string | undefined, without: string) => (at ? <Time at={at} format="full" /> : without)
  return [
    [words.channel, channel ?? words.anyChannel],
    [words.state, state === undefined ? words.anyState : texts.states.delivery[state]],
    [words.after, time(created_after, words.ever)],
    [words.before, time(created_before, words.now)],
  ] as const
}
