import { Button, Group } from "@mantine/core"
import type { AttemptStatistics, Channel, ChannelHealth } from "@sitewire/contracts"
import {
  deferredOf,
  errorOf,
  openBreakerText,
  scheduledOf,
  waitingOf,
} from "@sitewire/contracts/partnerMessage"
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { useAccess } from "../../api/access.ts"
import { channelHealthQuery } from "../../api/queries.ts"
import { formatCounted, formatMs, formatNumber, formatPercent } from "../../format.ts"
import { Facts, Figures } from "../../parts/Facts.tsx"
import { Failed } from "../../parts/Failed.tsx"
import { Loading } from "../../parts/Loading.tsx"
import { Notice } from "../../parts/Notice.tsx"
import { Columns, Rows, Section } from "../../parts/Page.tsx"
import { DeliveryRef } from "../../parts/Ref.tsx"
import { Ago, Since } from "../../parts/Time.tsx"
import { texts } from "../../texts.ts"
import { BulkResend } from "../deliveries/BulkResend.tsx"
import { PartnerMessage, TellPartner } from "./TellPartner.tsx"

const t = texts.health

export function Health({ channel }: { channel: Channel }) {
  const { id } = channel
  const { operates, reads } = useAccess()
  const { data, error, refetch } = useQuery(channelHealthQuery(id))
  if (error) return <Failed error={error} retry={refetch} />
  if (!data) return <Loading />
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
        <Section title={texts.tellPartner.whatToDo}>
          <PartnerMessage channel={channel} health={data} />
        </Section>
      )}
      <Section>
        <Figures
          figures={[
            attempts(t.lastHour, data.last_hour),
            [
              t.latency,
              data.last_hour.latency_p50_ms === null ? "–" : formatMs(data.last_hour.latency_p50_ms),
              t.latencyMore(
                data.last_hour.latency_p99_ms === null ? "–" : formatMs(data.last_hour.latency_p99_ms),
              ),
            ],
            attempts(t.lastDay, data.last_day),
            [
              t.retries,
              formatCounted(scheduled.count, scheduled.more),
              data.scheduled.next_attempt_at && (
                <>
                  {t.nextRetry} <Ago at={data.scheduled.next_attempt_at} due />
                </>
              ),
            ],
            [t.dead, formatCounted(data.dead.count), t.deadOf],
            [
              t.deferred,
              formatCounted(deferred.count, deferred.more),
              [
                deferred.more ? t.oldestOnly : null,
                ...data.deferred.map(
                  ({ reason, count }) => `${texts.waitingFor[reason]}: ${formatNumber(count)}`,
                ),
              ]
                .filter((part) => part !== null)
                .join(", "),
            ],
          ]}
        />
      </Section>
      <Columns>
        <Last title={t.lastSuccess} attempt={data.last_success} none={t.noSuccess} />
        <Last title={t.lastFailure} attempt={data.last_failure} none={t.noFailure} />
        {data.responses.length > 0 && (
          <Section title={t.responses}>
            <Facts
              facts={data.responses.map(({ status, error, attempts: count }) => [
                status === null ? texts.errorNames[error ?? "timeout"] : `HTTP ${status}`,
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
            [t.when, <Ago key="at" at={attempt.at} />],
            [t.response, attempt.status ?? (error ? texts.errors[error] : "–")],
            detail !== null && [t.detail, detail],
            [t.delivery, <DeliveryRef key="id" id={attempt.delivery} />],
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
  const { paused_at, dispatchers } = health
  const { managesChannel } = useAccess()
  const opened = dispatchers?.find(({ breaker }) => breaker === "open")
  if (paused_at !== null)
    return (
      <Notice kind="warn" title={t.paused}>
        {t.pausedFor} <Since at={paused_at} />. {t.pausedMore}
      </Notice>
    )
  if (health.health === "ok") return null
  const waiting = waitingOf(health)
  return (
    <Notice kind="bad" title={opened ? t.breakerOpen : t.failing}>
      {opened?.breaker_opened_at && (
        <>
          {t.breakerFor} <Since at={opened.breaker_opened_at} />. {openBreakerText}{" "}
        </>
      )}
      <LastError health={health} />{" "}
      {t.failingMore(formatCounted(waiting.count, waiting.more), waiting.count === 1)}{" "}
      {managesChannel(health.channel) && t.correct}
    </Notice>
  )
}

function LastError({ health: { last_failure: failure } }: { health: ChannelHealth }) {
  return failure && t.lastError(errorOf(failure))
}

/** What was not accepted, and how to send it again. */
function Dead({ health }: { health: ChannelHealth }) {
  const { managesChannel } = useAccess()
  const { channel, dead } = health
  const filter = { channel, state: "dead", created_after: dead.created_after } as const
  return (
    <Notice kind="bad" title={t.deadTitle(formatCounted(dead.count), dead.count === 1)}>
      <LastError health={health} /> {t.deadMore}
      <Group gap="xs" mt="xs">
        <Button
          variant="default"
          renderRoot={(props) => <Link {...props} to="/deliveries" search={filter} />}
        >
          {t.showDead}
        </Button>
        {managesChannel(channel) && <BulkResend filter={filter} label={t.resendDead} />}
      </Group>
    </Notice>
  )
}

function attempts(name: string, statistics: AttemptStatistics) {
  const { attempts: count, success_rate } = statistics
  return [
    name,
    success_rate === null ? "–" : formatPercent(success_rate),
    t.ofAttempts(formatNumber(count), count),
  ] as const
}
