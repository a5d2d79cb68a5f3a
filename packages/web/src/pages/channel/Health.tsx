import { Button, Group } from "@mantine/core"
import type { AttemptStatistics, Channel, ChannelHealth } from "@sitewire/contracts"
import {
  attemptErrorTexts,
  deferredOf,
  deliveriesOf,
  errorOf,
  scheduledOf,
  waitingOf,
} from "@sitewire/contracts/partnerMessage"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { channelHealthQuery } from "../../api/queries.ts"
import { formatCounted, formatMs, formatNumber, formatPercent } from "../../format.ts"
import { Facts, Figures } from "../../parts/Facts.tsx"
import { Loaded } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Columns, Rows, Section } from "../../parts/Page.tsx"
import { DeliveryRef } from "../../parts/Ref.tsx"
import { Ago, Since } from "../../parts/Time.tsx"
import { failureName, waitingForNames } from "../../words.ts"
import { BulkResend } from "../deliveries/BulkResend.tsx"
import { PartnerMessage, TellPartner } from "./TellPartner.tsx"

const waitingDeliveries = (waiting: string, one: boolean) =>
  `${deliveriesOf(waiting, one)} ${one ? "waits" : "wait"} for another attempt. One that is not accepted within its retry period becomes dead: nothing more is sent by itself.`

const deadTitle = (count: string, one: boolean) => `${deliveriesOf(count, one)} ${one ? "is" : "are"} dead`

export function Health({ channel }: { channel: Channel }) {
  const health = useQuery(channelHealthQuery(channel.id))
  return <Loaded of={health}>{(data) => <Found channel={channel} data={data} />}</Loaded>
}

function Found({ channel, data }: { channel: Channel; data: ChannelHealth }) {
  const { operates, reads } = useAccess()
  const [scheduled, deferred] = [scheduledOf(data), deferredOf(data)]
  const isBad = data.health === "failing" || data.dead.count > 0
  return (
    <Rows>
      <Reason health={data} />
      {data.dead.count > 0 && <Dead health={data} />}
      {operates && isBad && (
        <Group>
          <TellPartner channel={channel} health={data} />
        </Group>
      )}
      {!reads && isBad && (
        <Section title="What to do">
          <PartnerMessage channel={channel} health={data} />
        </Section>
      )}
      <Section>
        <Figures
          figures={[
            attempts("Success, last hour", data.last_hour),
            [
              "Latency p50, last hour",
              ms(data.last_hour.latency_p50_ms),
              `p99 ${ms(data.last_hour.latency_p99_ms)}`,
            ],
            attempts("Success, last 24 h", data.last_day),
            [
              "Waiting for a retry",
              formatCounted(scheduled.count, scheduled.more),
              data.scheduled.next_attempt_at && (
                <>
                  next <Ago at={data.scheduled.next_attempt_at} due />
                </>
              ),
            ],
            ["Dead", formatCounted(data.dead.count), "of the last 7 days"],
            [
              "Deferred",
              formatCounted(deferred.count, deferred.more),
              [
                deferred.more ? "Of the oldest" : null,
                ...data.deferred.map(
                  ({ reason, count }) => `${waitingForNames[reason]}: ${formatNumber(count)}`,
                ),
              ]
                .filter((part) => part !== null)
                .join(", "),
            ],
          ]}
        />
      </Section>
      <Columns>
        <Last title="Last success" attempt={data.last_success} none="None in the last 7 days." />
        <Last title="Last failure" attempt={data.last_failure} none="None in the last 24 hours." />
        {data.responses.length > 0 && (
          <Section title="Responses to its newest deliveries, last 24 h">
            <Facts
              facts={data.responses.map(({ status, error, attempts: count }) => [
                failureName({ error: error ?? "timeout", status }),
                formatNumber(count),
              ])}
            />
          </Section>
        )}
      </Columns>
    </Rows>
  )
}

type LastProps = {
  title: string
  attempt: ChannelHealth["last_success"] | ChannelHealth["last_failure"]
  none: string
}

function Last({ title, attempt, none }: LastProps) {
  const { error = null, detail = null } = attempt && "error" in attempt ? attempt : {}
  return (
    <Section title={title}>
      {attempt ? (
        <Facts
          facts={[
            ["When", <Ago key="at" at={attempt.at} />],
            ["Response", attempt.status ?? (error ? attemptErrorTexts[error] : "–")],
            detail !== null && ["Reason", detail],
            ["Delivery", <DeliveryRef key="id" id={attempt.delivery} />],
          ]}
        />
      ) : (
        none
      )}
    </Section>
  )
}

/** What is wrong, in one sentence, with what to do. */
function Reason({ health }: { health: ChannelHealth }) {
  const { paused_at, failing_since, last_failure: failure } = health
  const { managesChannel } = useAccess()
  if (paused_at !== null)
    return (
      <Notice kind="warn" title="The channel is paused">
        For <Since at={paused_at} />. Its deliveries are stored, and sent when an operator resumes it.
      </Notice>
    )
  if (failing_since === null) return null
  const waiting = waitingOf(health)
  return (
    <Notice kind="bad" title="Deliveries fail again and again">
      For <Since at={failing_since} />. {failure && `Last failure: ${errorOf(failure).replace(/\.$/, "")}.`}{" "}
      {waitingDeliveries(formatCounted(waiting.count, waiting.more), waiting.count === 1)}{" "}
      {managesChannel(health.channel) && "Correct the receiver."}
    </Notice>
  )
}

/** What was not accepted, and how to send it again. */
function Dead({ health }: { health: ChannelHealth }) {
  const { managesChannel } = useAccess()
  const { channel, dead } = health
  const filter = { channel, state: "dead", created_after: dead.created_after } as const
  return (
    <Notice kind="bad" title={deadTitle(formatCounted(dead.count), dead.count === 1)}>
      They were not accepted within their retry period, and nothing more is sent by itself.
      <Group gap="xs" mt="xs">
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/deliveries" search={filter} />}
        >
          Show them
        </Button>
        {managesChannel(channel) && <BulkResend filter={filter} label="Resend its dead" />}
      </Group>
    </Notice>
  )
}

const ms = (value: number | null) => (value === null ? "–" : formatMs(value))

function attempts(name: string, statistics: AttemptStatistics) {
  const { attempts: count, success_rate } = statistics
  return [
    name,
    success_rate === null ? "–" : formatPercent(success_rate),
    count === 1 ? "of 1 attempt" : `of ${formatNumber(count)} attempts`,
  ] as const
}
