import { deliveryStateSchema, type StreamedDelivery, streamedDeliverySchema } from "@sitewire/contracts"
import { InvalidArgumentError, Option } from "commander"
import { afterInterruption, followStream } from "../../api/followStream.ts"
import type { CliCommand } from "../../command.ts"
import { parseCount } from "../../options/pageOptions.ts"
import { escapeControls } from "../../output/escapeControls.ts"
import type { Style } from "../../output/style.ts"
import { duration, localTime, shortTime } from "../../output/time.ts"
import { readStreamed } from "./readStreamed.ts"
import { shortLength } from "./shortId.ts"

type Options = { channel?: string; state?: StreamedDelivery["state"]; backlog?: number }

/** Each is a request, and the stream waits for all of them. */
const maxBacklog = 100

function parseBacklog(text: string): number {
  const count = parseCount(text)
  if (count > maxBacklog) throw new InvalidArgumentError(`It must be at most ${maxBacklog}.`)
  return count
}

export const tailDeliveries: CliCommand = {
  name: "tail",
  description: "print deliveries as they are created, attempted and finished",
  options: [
    new Option("--channel <channel>", "only deliveries of this channel"),
    new Option("--state <state>", "only while they are in this state").choices(deliveryStateSchema.options),
    new Option("--backlog <n>", `begin with the newest n, at most ${maxBacklog}`).argParser(parseBacklog),
  ],
  notes: `Runs until it is interrupted (Ctrl-C). ${afterInterruption("deliveries that were created")}`,
  examples: [
    "sitewire delivery tail",
    "sitewire delivery tail --state dead --backlog 20",
    "sitewire delivery tail --channel acme --json | jq -c '[.id, .state]'",
  ],
  json: streamedDeliverySchema,
  async run(session, _, { channel, state, backlog: limit = 0 }: Options) {
    const print = (delivery: StreamedDelivery) => {
      if (state === undefined || delivery.state === state) session.print(delivery, describe)
    }
    await followStream<StreamedDelivery>(session, { event: "delivery", channel }, print, {
      // Read when the stream is open, so that no change is between them.
      async onOpen() {
        if (limit === 0) return
        const backlog = await session.callApi((client) => readStreamed(client, { channel, state, limit }))
        for (const delivery of backlog) print(delivery)
      },
      readMissed: (client, limit, since) =>
        readStreamed(client, { channel, state, limit, created_after: since }),
    })
  },
}

function describe(delivery: StreamedDelivery, style: Style): string {
  const { id, channel, state, attempts, last_attempt: last, deferred_reason, event_id, reference } = delivery
  const at = last?.started_at ?? delivery.created_at
  const outcome =
    last === null
      ? ""
      : `${[last.status, last.error].filter((part) => part !== null).join(" ")} in ${duration(last.duration_ms)}`
  const waits = deferred_reason === null ? "" : `deferred (${deferred_reason})`
  const [time, name] =
    style.width === null ? [localTime(at), id] : [shortTime(at, style.now), id.slice(0, shortLength)]
  const names = [`event ${event_id}`, reference === null ? "" : `reference ${reference}`].map(escapeControls)
  const facts = [`#${attempts}`, outcome, waits, ...names].filter((part) => part !== "")
  return `${time}  ${name}  ${escapeControls(channel)}  ${style.state(state)}  ${facts.join("  ")}`
}
