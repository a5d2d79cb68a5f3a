import { useQuery } from "@tanstack/react-query"
import { channelHealthQuery } from "../../api/queries.ts"
import { Notice } from "../../parts/Notice.tsx"
import { texts } from "../../texts.ts"
import { firstOf } from "../home/firstOf.ts"
import { failingChannels } from "../home/problemQueries.ts"

const t = texts.bulkResend

/** Warns before a resend to receivers that still do not accept deliveries. Undefined: to all channels. */
export function StillFailing({ channel }: { channel: string | undefined }) {
  return channel === undefined ? <AnyFailing /> : <OneFailing channel={channel} />
}

function OneFailing({ channel }: { channel: string }) {
  const { data } = useQuery(channelHealthQuery(channel))
  if (data?.health !== "failing") return null
  const failure = data.last_failure
  const what =
    failure && (failure.status === null ? texts.errorNames[failure.error] : `HTTP ${failure.status}`)
  return (
    <Notice kind="bad" title={t.failing(channel)}>
      {what && t.lastFailure(what)} {t.failingMore}
    </Notice>
  )
}

function AnyFailing() {
  const { data } = useQuery(failingChannels)
  const { first, others } = firstOf(data)
  if (first.length === 0) return null
  return (
    <Notice kind="bad" title={t.someFailing}>
      {first.map(({ id }) => id).join(", ")}
      {others && t.andMore(others)}. {t.failingMore}
    </Notice>
  )
}
