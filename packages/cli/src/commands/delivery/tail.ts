import { type StreamedDelivery, streamedDeliverySchema } from "@sitewire/contracts"
import { Option } from "commander"
import { followStream } from "../../api/followStream.ts"
import type { CliCommand } from "../../command.ts"
import { escapeControls } from "../../output/escapeControls.ts"
import type { Style } from "../../output/style.ts"
import { duration, localTime } from "../../output/time.ts"

export const tailDeliveries: CliCommand = {
  name: "tail",
  description: "print deliveries as they are created, attempted and finished",
  options: [new Option("--channel <channel>", "only deliveries of this channel")],
  notes: "Runs until it is interrupted (Ctrl-C). A delivery can be printed twice after an interruption.",
  examples: [
    "sitewire delivery tail",
    "sitewire delivery tail --channel acme --json | jq -c '[.id, .state]'",
  ],
  json: streamedDeliverySchema,
  async run(session, _, { channel }: { channel?: string }) {
    await followStream(session, { event: "delivery", channel }, (_event, data) =>
      session.print(data as StreamedDelivery, describe),
    )
  },
}

function describe(delivery: StreamedDelivery, style: Style): string {
  const { id, channel, state, attempts, last_attempt: last, deferred_reason } = delivery
  const at = last?.started_at ?? delivery.created_at
  const outcome =
    last === null
      ? ""
      : `${[last.status, last.error].filter((part) => part !== null).join(" ")} in ${duration(last.duration_ms)}`
  const waits = deferred_reason === null ? "" : `deferred (${deferred_reason})`
  const facts = [`#${attempts}`, outcome, waits].filter((part) => part !== "")
  return `${localTime(at)}  ${id}  ${escapeControls(channel)}  ${style.state(state)}  ${facts.join("  ")}`
}
