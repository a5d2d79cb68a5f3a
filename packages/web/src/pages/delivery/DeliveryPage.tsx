import type { DeliveryBody, DeliveryWithAttempts } from "@sitewire/contracts"
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useState } from "react"
import { useAccess } from "../../api/access.ts"
import { channelQuery, deliveryQuery } from "../../api/queries.ts"
import { useId } from "../../app/useId.ts"
import { Action } from "../../parts/Action.tsx"
import { Copyable } from "../../parts/Copy.tsx"
import { Facts } from "../../parts/Facts.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Columns, PageHead, Rows, Section } from "../../parts/Page.tsx"
import { ChannelRef } from "../../parts/Ref.tsx"
import { DeliveryState } from "../../parts/states.tsx"
import { Ago, Since, Time } from "../../parts/Time.tsx"
import { whyDead } from "../../parts/whyDead.ts"
import { texts } from "../../texts.ts"
import { Body } from "./Body.tsx"
import { Download } from "./Download.tsx"
import { Repeat } from "./Repeat.tsx"
import { Timeline } from "./Timeline.tsx"

const t = texts.delivery
type Delivery = DeliveryWithAttempts

export function DeliveryPage() {
  const id = useId()
  const { data, error, refetch } = useQuery(deliveryQuery(id))
  if (error) return <Failed error={error} retry={refetch} />
  return data ? <Found key={id} delivery={data} /> : <Loading />
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
  return (
    <>
      <PageHead
        title={delivery.event_id}
        above={<Link to="/deliveries">{texts.pages.deliveries}</Link>}
        state={<DeliveryState state={delivery.state} waiting={delivery.waiting_for} />}
      >
        <Actions delivery={delivery} />
      </PageHead>
      <Rows>
        <Situation delivery={delivery} />
        <Columns wide>
          <Rows>
            <Section title={t.timeline}>
              <Timeline delivery={delivery} />
            </Section>
          </Rows>
          <Rows>
            <Section title={t.facts}>
              <Facts
                facts={[
                  [t.channel, <ChannelRef key="channel" id={delivery.channel} />],
                  [t.id, <Copyable key="id" value={delivery.id} what={t.theId} />],
                  reference !== null && [
                    t.reference,
                    <Copyable
                      key="reference"
                      value={reference}
                      what={texts.deliveries.theReference(reference)}
                    />,
                  ],
                  site !== null && [
                    t.site,
                    <Copyable key="site" value={site} what={texts.deliveries.theSite(site)} />,
                  ],
                  [t.created, <Time key="created" at={delivery.created_at} format="ms" />],
                  delivery.finished_at !== null && [
                    t.finished,
                    <Time key="finished" at={delivery.finished_at} format="ms" />,
                  ],
                  [t.attempts, delivery.attempts],
                ]}
              />
            </Section>
            <Body delivery={delivery} revealed={revealed} reveal={setRevealed} />
          </Rows>
        </Columns>
        <Repeat delivery={delivery} revealed={revealed} />
      </Rows>
    </>
  )
}

const textOf = (value: unknown) => (typeof value === "string" ? value : null)

function Actions({ delivery }: { delivery: Delivery }) {
  const { operates, managesChannel } = useAccess()
  const client = useQueryClient()
  const refresh = () => void client.invalidateQueries({ queryKey: ["deliveries"] })
  const { id, channel, state } = delivery
  const path = { id }
  return (
    <>
      {operates && state === "pending" && (
        <Action
          label={t.cancel}
          icon="cross"
          danger
          title={t.cancelTitle}
          reason="optional"
          run={(post, reason) => post.cancelDelivery({ ...path, body: reason ? { reason } : {} })}
          done={({ may_still_arrive }) => t.cancelled(may_still_arrive)}
          then={refresh}
        >
          {t.cancelMore(channel)}
        </Action>
      )}
      <Download delivery={delivery} />
      {managesChannel(channel) && state !== "erased" && (
        <Action
          label={t.resend}
          icon="resend"
          title={t.resendTitle(channel)}
          reason="optional"
          run={(post, reason) => post.resendDelivery({ ...path, body: reason ? { reason } : {} })}
          done={t.resent}
          then={refresh}
        >
          {state === "delivered" ? t.resendDelivered(channel) : t.resendMore(channel)}
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
      <Notice kind={state === "delivered" ? "good" : "idle"} title={t.situations[state]}>
        {finished_at && <Time at={finished_at} format="ms" />}
      </Notice>
    )
  if (state === "dead") {
    const { title, more, next } = t.dead[whyDead(delivery)]
    return (
      <Notice kind="bad" title={title}>
        {more} {managesChannel(channel) && next}
      </Notice>
    )
  }
  if (waiting_for === null) return null
  return (
    <Notice kind="warn" title={t.waiting(waiting_for)}>
      {next_attempt_at && (
        <>
          {t.nextAttempt} <Ago at={next_attempt_at} due /> (<Time at={next_attempt_at} />
          ).{" "}
        </>
      )}
      {deferred_at && (
        <>
          {t.deferredFor} <Since at={waiting_for === "resend" ? deferred_at : created_at} />.{" "}
        </>
      )}
      {waiting_for !== "retry" && t.waitingMore[waiting_for]}
      {waiting_for === "rate" && data?.max_per_second && ` ${t.maximum(data.max_per_second)}`}
    </Notice>
  )
}
