import type { Delivery } from "@sitewire/contracts"
import type { Client } from "../../api/client.ts"
import { call } from "../../derive/call.ts"
import { table, timeColumn } from "../../output/table.ts"
import { relativeTime } from "../../output/time.ts"
import { describeWait } from "./describeWait.ts"
import { lastError } from "./lastError.ts"
import { readPause } from "./readPause.ts"
import { shortIds } from "./shortId.ts"

export const listDeliveries = call("delivery list", "listDeliveries", {
  description: "list or search the deliveries, newest first",
  options: {
    event_id: "only the delivery of this site.paid event",
    reference: "only deliveries with this reference, the partner's id",
    site_url: "only deliveries about this site",
  },
  examples: [
    "sitewire delivery list",
    "sitewire delivery list --channel acme --state dead --all",
    "sitewire delivery list --waiting-for breaker",
    "sitewire delivery list --site https://shop.example",
    "sitewire delivery list --channel acme --error timeout --after 2026-11-21T12:00:00Z",
    "sitewire delivery list --state dead --json | jq -r '.data[].id' | xargs -n 1 sitewire delivery resend",
  ],
  none: "No deliveries.",
  load: (client, { data }) => readPauses(client, data),
  print({ data }, style, pauses) {
    const { now, state: paint } = style
    const short = shortIds(data.map(({ id }) => id))
    const nextAttempt = (delivery: Delivery) =>
      describeWait(delivery, {
        pausedAt: pauses.get(delivery.channel) ?? null,
        now,
        formatTime: (iso) => relativeTime(iso, now),
      }) ?? ""
    return table(style, data, [
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
    ])
  },
  note: ({ data }, { state, error }) =>
    data.length > 0 || state !== undefined || error !== undefined
      ? []
      : "An event that was rejected has no delivery. An operator lists those with: sitewire event list",
})

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
