import { Text } from "@mantine/core"
import type { Input } from "@sitewire/contracts/client"
import { deliveriesOf } from "@sitewire/contracts/partnerMessage"
import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { postDryRun } from "../../api/client.ts"
import { channelHealthQuery, type DeliveryFilter, openIncidentsQuery } from "../../api/queries.ts"
import { formatCounted, formatSpan } from "../../format.ts"
import { Facts } from "../../parts/Facts.tsx"
import { DialogButton } from "../../parts/FormDialog.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { DryRunNotice, defaultRate, RateInput, StartJob, useDryRun } from "../../parts/StartJob.tsx"
import { Time } from "../../parts/Time.tsx"
import { deliveryStates, failureName } from "../../words.ts"

type ResendFilter = Input<"createResendJob">["body"]["filter"]

/** Resends what the list shows. Null: a job has no such filter. */
function resendFilterOf(filter: DeliveryFilter): ResendFilter | null {
  const { channel, state, created_after, created_before, ...others } = filter
  if (Object.keys(others).length > 0 || state === "erased") return null
  return { channel, state, created_after, created_before }
}

export function BulkResend({ filter, label = "Resend these" }: { filter: DeliveryFilter; label?: string }) {
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
      title="Resend all deliveries of this list"
      confirm={matching === undefined ? "Resend these" : `Resend ${formatCounted(matching, more)}`}
      ready={matching !== undefined && matching > 0}
      start={(post, reason) => {
        const body = { filter, reason, per_second: rate, dry_run: false }
        return post.createResendJob({ body })
      }}
      close={close}
    >
      <StillFailing channel={filter.channel} />
      <Facts facts={factsOf(filter)} />
      <DryRunNotice count={count} title={(count, one) => `${deliveriesOf(count, one)} will be sent again`}>
        {`With the same id and body, to the current address of their channel. It takes ${more ? "at least" : "about"} ${formatSpan(Math.max(1_000, ((matching ?? 0) / rate) * 1_000))} at this rate.`}
      </DryRunNotice>
      {filter.state === undefined && (
        <Text size="sm" c="dimmed">
          Delivered ones are sent again too. Filter by the state Dead to send only those.
        </Text>
      )}
      <RateInput
        rate={rate}
        change={setRate}
        label="Deliveries per second"
        description="The receivers get at most this many per second."
      />
    </StartJob>
  )
}

/** The filter of the list, in words, because a job cannot be undone. */
function factsOf({ channel, state, created_after, created_before }: ResendFilter) {
  const time = (at: string | undefined, without: string) => (at ? <Time at={at} format="full" /> : without)
  return [
    ["Channel", channel ?? "all channels"],
    ["State", state === undefined ? "any but cancelled" : deliveryStates[state]],
    ["Created from", time(created_after, "the oldest stored")],
    ["Created until", time(created_before, "now")],
  ] as const
}

const consequence =
  "What is sent now will probably not be accepted, and become dead again after its retry period."

/** So many channels are named. */
const shown = 10

/** Warns before a resend to receivers that still do not accept deliveries. Undefined: to all channels. */
function StillFailing({ channel }: { channel: string | undefined }) {
  return channel === undefined ? <AnyFailing /> : <OneFailing channel={channel} />
}

function OneFailing({ channel }: { channel: string }) {
  const { data } = useQuery(channelHealthQuery(channel))
  if (data?.health !== "failing") return null
  const failure = data.last_failure
  const what = failure && failureName(failure)
  return (
    <Notice kind="bad" title={`Channel ${channel} is still failing`}>
      {what && `Its last failure: ${what}.`} {consequence}
    </Notice>
  )
}

function AnyFailing() {
  const { data } = useQuery(openIncidentsQuery)
  const failing = (data?.incidents ?? []).filter(({ kind }) => kind === "channel.failing")
  if (failing.length === 0) return null
  const others = failing.length - shown
  return (
    <Notice kind="bad" title="Channels are still failing">
      {failing
        .slice(0, shown)
        .map(({ subject }) => subject.id)
        .join(", ")}
      {others > 0 && ` and ${others} more`}. {consequence}
    </Notice>
  )
}
