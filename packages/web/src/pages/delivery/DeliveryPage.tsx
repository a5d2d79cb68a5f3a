import type { DeliveryBody, DeliveryWithAttempts } from "@sitewire/contracts"
import { deferralReasons } from "@sitewire/contracts/deferralReasons"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { channelQuery, deliveryQuery } from "../../api/queries.ts"
import { useId } from "../../app/useId.ts"
import { Action } from "../../parts/Action.tsx"
import { Code } from "../../parts/Code.tsx"
import { Copyable } from "../../parts/Copy.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Loaded } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Columns, PageHead, Rows, Section } from "../../parts/Page.tsx"
import { ChannelRef } from "../../parts/Ref.tsx"
import { DeliveryState, whyDead } from "../../parts/states.tsx"
import { Ago, Since, Time } from "../../parts/Time.tsx"
import { deadReasons, pageNames } from "../../words.ts"
import { Body } from "./Body.tsx"
import { curlOf } from "./curl.ts"
import { Download } from "./Download.tsx"
import { Timeline } from "./Timeline.tsx"

const situations = {
  delivered: "The receiver has accepted it",
  erased: "It was erased",
  cancelled: "It was cancelled",
} as const

const waitingDetails = {
  busy: "As many attempts as the receiver copes with are in flight. Nothing needs to be done.",
  breaker: "After many failures in a row, single attempts check whether the receiver works again.",
  paused: "It is attempted after an operator has resumed the channel.",
  fault: "Such as a missing sealing key.",
  resend: "It is sent as soon as the channel has capacity.",
  overdue: "It is due, and is sent as soon as the channel has capacity.",
  rate: "It is sent when it is its turn.",
  notification: "",
} as const

type Delivery = DeliveryWithAttempts

export function DeliveryPage() {
  const id = useId()
  return <Loaded of={useQuery(deliveryQuery(id))}>{(found) => <Found key={id} delivery={found} />}</Loaded>
}

function Found({ delivery: stored }: { delivery: Delivery }) {
  const { data: channel } = useQuery(channelQuery(stored.channel))
  const isPaused = stored.waiting_for !== null && channel?.paused_at
  // A delivery that waits for its retry is not deferred before the retry is due.
  const delivery = isPaused ? { ...stored, waiting_for: "paused" as const, next_attempt_at: null } : stored
  // The exact body stays in this page's memory only, because it contains personal data.
  const [revealed, setRevealed] = useState<DeliveryBody | null>(null)
  const reference = textOf(delivery.body?.reference)
  const site = textOf(delivery.body?.site_url)
  const url = delivery.attempt_log.at(-1)?.url
  return (
    <>
      <PageHead
        title={delivery.event_id}
        above={<Link to="/deliveries">{pageNames.deliveries}</Link>}
        state={<DeliveryState state={delivery.state} waiting={delivery.waiting_for} />}
      >
        <Actions delivery={delivery} />
      </PageHead>
      <Rows>
        <Situation delivery={delivery} />
        <Columns wide>
          <Rows>
            <Section title="Timeline">
              <Timeline delivery={delivery} />
            </Section>
          </Rows>
          <Rows>
            <Section title="Delivery">
              <Facts
                facts={[
                  ["Channel", <ChannelRef key="channel" id={delivery.channel} />],
                  ["Delivery id", <Copyable key="id" value={delivery.id} what="the delivery id" />],
                  reference !== null && [
                    "Reference",
                    <Copyable key="reference" value={reference} what={`the reference ${reference}`} />,
                  ],
                  site !== null && ["Site", <Copyable key="site" value={site} what={`the site ${site}`} />],
                ]}
              />
            </Section>
            <Body delivery={delivery} revealed={revealed} reveal={setRevealed} />
          </Rows>
        </Columns>
        {revealed && (
          <Section title="Repeat by hand">
            {revealed.request_headers && url ? (
              <>
                <Code what="curl" code={curlOf(url, revealed.request_headers, revealed.body)} />
                {channel && channel.request_header_names.length > 0 && (
                  <small>{`Add the channel's request headers, which are not in the command: ${channel.request_header_names.join(", ")}.`}</small>
                )}
              </>
            ) : (
              noCommand
            )}
          </Section>
        )}
      </Rows>
    </>
  )
}

const noCommand =
  "There is no command: it needs the headers of an attempt that has ended, a signing secret that is not retired, and a session that may resend the delivery."

const textOf = (value: unknown) => (typeof value === "string" ? value : null)

function Actions({ delivery }: { delivery: Delivery }) {
  const { operates, managesChannel } = useAccess()
  const { id, channel, state } = delivery
  const path = { id }
  return (
    <>
      {operates && state === "pending" && (
        <Action
          label="Cancel delivery"
          icon="cross"
          danger
          title="Cancel this delivery?"
          reason="optional"
          run={(post, reason) => post.cancelDelivery({ ...path, body: reason ? { reason } : {} })}
          done={({ may_still_arrive }) => `Cancelled. What may still arrive: ${may_still_arrive}`}
        >
          {`No further attempt is made, and the partner of ${channel} does not learn about this site. You can resend the delivery later.`}
        </Action>
      )}
      <Download delivery={delivery} />
      {managesChannel(channel) && state !== "erased" && (
        <Action
          label="Resend"
          icon="resend"
          title={`Send this delivery to ${channel} again?`}
          reason="optional"
          run={(post, reason) => post.resendDelivery({ ...path, body: reason ? { reason } : {} })}
          done="The delivery is sent as soon as its channel has capacity"
        >
          {state === "delivered"
            ? `The receiver of ${channel} has accepted it already, and gets it once more with the same id and body. A correct receiver ignores it.`
            : `It is sent with the same id and body to the current address of ${channel}, as soon as the channel has capacity.`}
        </Action>
      )}
    </>
  )
}

/** Why the delivery waits or ended, and what can be done about it. */
function Situation({ delivery }: { delivery: Delivery }) {
  const { state, waiting_for, next_attempt_at, deferred_at, created_at, channel, finished_at } = delivery
  const { data } = useQuery(channelQuery(channel))
  const { managesChannel } = useAccess()
  if (state === "delivered" || state === "erased" || state === "cancelled")
    return (
      <Notice kind={state === "delivered" ? "good" : "idle"} title={situations[state]}>
        {finished_at && <Time at={finished_at} format="ms" />}
      </Notice>
    )
  if (state === "dead") {
    const { title, more, next } = deadReasons[whyDead(delivery)]
    return (
      <Notice kind="bad" title={title}>
        {more} {managesChannel(channel) && next}
      </Notice>
    )
  }
  if (waiting_for === null) return null
  return (
    <Notice
      kind="warn"
      title={
        waiting_for === "retry"
          ? "It waits for its retry"
          : `It waits, because ${deferralReasons[waiting_for]}`
      }
    >
      {next_attempt_at && (
        <>
          The next attempt is <Ago at={next_attempt_at} due /> (<Time at={next_attempt_at} />
          ).{" "}
        </>
      )}
      {deferred_at && (
        <>
          It has waited for <Since at={waiting_for === "resend" ? deferred_at : created_at} />.{" "}
        </>
      )}
      {waiting_for !== "retry" && waitingDetails[waiting_for]}
      {waiting_for === "rate" && data?.max_per_second && ` The maximum is ${data.max_per_second} per second.`}
    </Notice>
  )
}
