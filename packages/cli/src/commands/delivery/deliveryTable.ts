import type { Delivery } from "@sitewire/contracts"
import type { Style } from "../../output/style.ts"
import { table, timeColumn } from "../../output/table.ts"
import { relativeTime } from "../../output/time.ts"
import { describeWait } from "./describeWait.ts"
import { lastError } from "./lastError.ts"
import { shortIds } from "./shortId.ts"

/** `pauses`: since when channels are paused. */
export function deliveryTable(
  data: Delivery[],
  pauses: ReadonlyMap<string, string | null>,
  style: Style,
): string {
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
}
