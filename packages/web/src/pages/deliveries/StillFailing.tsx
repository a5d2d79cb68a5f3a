import { useQuery } from "@tanstack/react-query"
import { channelHealthQuery, openIncidentsQuery } from "../../api/queries.ts"
import { Notice } from "../../parts/Notice.tsx"
import { errorNames } from "../../words.ts"

const consequence =
  "What is sent now will probably not be accepted, and become dead again after its retry period."

/** So many channels are named. */
const shown = 10

/** Warns before a resend to receivers that still do not accept deliveries. Undefined: to all channels. */
export function StillFailing({ channel }: { channel: string | undefined }) {
  return channel === undefined ? <AnyFailing /> : <OneFailing channel={channel} />
}

function OneFailing({ channel }: { channel: string }) {
  const { data } = useQuery(channelHealthQuery(channel))
  if (data?.health !== "failing") return null
  const failure = data.last_failure
  const what = failure && (failure.status === null ? errorNames[failure.error] : `HTTP ${failure.status}`)
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
