import {
  attemptErrorSchema,
  type Delivery,
  deliveryStateSchema,
  listedDeliverySchema,
  pageSchema,
  waitingForSchema,
} from "@sitewire/contracts"
import type { Input } from "@sitewire/contracts/client"
import { Option } from "commander"
import type { Client } from "../../api/client.ts"
import { readPages } from "../../api/readPages.ts"
import type { CliCommand } from "../../command.ts"
import { type PageOptions, pageOptions, printPage } from "../../options/pageOptions.ts"
import { parseTime } from "../../options/parseTime.ts"
import { timeColumn } from "../../output/table.ts"
import { relativeTime } from "../../output/time.ts"
import { describeWait } from "./describeWait.ts"
import { lastError } from "./lastError.ts"
import { readPause } from "./readPause.ts"
import { shortIds } from "./shortId.ts"

type Options = PageOptions & {
  channel?: string
  state?: Input<"listDeliveries">["state"]
  event?: string
  reference?: string
  site?: string
  error?: Input<"listDeliveries">["error"]
  waitingFor?: Input<"listDeliveries">["waiting_for"]
  job?: string
  after?: string
  before?: string
}

export const listDeliveries: CliCommand = {
  name: "list",
  description: "list or search the deliveries, newest first",
  options: [
    new Option("--channel <channel>", "only deliveries of this channel"),
    new Option("--state <state>", "only deliveries in this state").choices(deliveryStateSchema.options),
    new Option("--event <id>", "only the delivery of this site.paid event"),
    new Option("--reference <reference>", "only deliveries with this reference, the partner's id"),
    new Option("--site <url>", "only deliveries about this site"),
    new Option("--error <class>", "only deliveries whose last failed attempt has this error").choices(
      attemptErrorSchema.options,
    ),
    new Option("--waiting-for <what>", "only deliveries whose next attempt waits for this").choices(
      waitingForSchema.options,
    ),
    new Option("--job <job>", "only deliveries that this job was the last to resend or erase"),
    new Option("--after <time>", "only deliveries created at this time or later").argParser(parseTime),
    new Option("--before <time>", "only deliveries created before this time").argParser(parseTime),
    ...pageOptions,
  ],
  examples: [
    "sitewire delivery list",
    "sitewire delivery list --channel acme --state dead --all",
    "sitewire delivery list --waiting-for breaker",
    "sitewire delivery list --site https://shop.example",
    "sitewire delivery list --channel acme --error timeout --after 2026-11-21T12:00:00Z",
    "sitewire delivery list --state dead --json | jq -r '.data[].id' | xargs -n 1 sitewire delivery resend",
  ],
  json: pageSchema(listedDeliverySchema),
  async run(session, _, options: Options) {
    const { channel, state, event, reference, site, error, waitingFor, job, after, before } = options
    const filters = {
      channel,
      state,
      event_id: event,
      reference,
      site_url: site,
      error,
      waiting_for: waitingFor,
      job,
      created_after: after,
      created_before: before,
    }
    const { page, pauses } = await session.callApi(async (client) => {
      const page = await readPages(options, (query) => client.listDeliveries({ ...query, ...filters }))
      return { page, pauses: await readPauses(client, page.data) }
    })
    const short = shortIds(page.data.map(({ id }) => id))
    printPage(session, page, "No deliveries.", ({ now, state: paint }) => {
      const nextAttempt = (delivery: Delivery) =>
        describeWait(delivery, {
          pausedAt: pauses.get(delivery.channel) ?? null,
          now,
          formatTime: (iso) => relativeTime(iso, now),
        }) ?? ""
      return [
        { title: "ID", cell: ({ id }) => id, short: ({ id }) => short.get(id) ?? id, whole: true },
        { title: "CHANNEL", cell: (delivery) => delivery.channel },
        { title: "STATE", cell: (delivery) => delivery.state, paint },
        { title: "ATTEMPTS", cell: (delivery) => String(delivery.attempts), align: "right" },
        { title: "LAST ERROR", cell: lastError },
        {
          title: "NEXT ATTEMPT",
          cell: nextAttempt,
          short: (one) => (one.waiting_for === "retry" ? nextAttempt(one) : (one.waiting_for ?? "")),
        },
        timeColumn("CREATED", (delivery) => delivery.created_at),
        { title: "EVENT", cell: (delivery) => delivery.event_id },
      ]
    })
    if (page.data.length === 0 && state === undefined && error === undefined)
      session.note(
        "An event that was rejected has no delivery. An operator lists those with: sitewire event list",
      )
  },
}

async function readPauses(client: Client, deliveries: Delivery[]): Promise<Map<string, string | null>> {
  const waiting = deliveries.filter(
    ({ state, next_attempt_at, deferred_at }) => state === "pending" || next_attempt_at || deferred_at,
  )
  const pauses = new Map<string, string | null>()
  for (const id of new Set(waiting.map(({ channel }) => channel))) {
    pauses.set(id, await readPause(client, id))
  }
  return pauses
}
