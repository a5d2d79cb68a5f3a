import { timeOfDeliveryId } from "@sitewire/contracts"
import type { Client } from "../../api/client.ts"
import { readPages } from "../../api/readPages.ts"
import { failed } from "../../errors/failure.ts"

export const deliveryArgument = ["<delivery>", "the delivery's id, or its beginning in a list"] as const

/** An id's time, and 12 bits that deliveries of the same millisecond rarely share. */
export const shortLength = "0197a3c1-6d0e-7c3b".length
const beginning = /^[\da-f]{8}-[\da-f]{4}(-[\da-f-]{0,21})?$/
/** Ids have the time of Kafka's broker or of a console, and `created_at` sometimes that of Postgres. */
const clocksMs = 1_000

/** The shortest beginning of each id that no other one has. */
export function shortIds(ids: readonly string[]): Map<string, string> {
  const sorted = ids.toSorted()
  return new Map(
    sorted.map((id, index) => {
      const others = [sorted[index - 1], sorted[index + 1]].filter((other) => other !== id)
      let length = shortLength
      while (others.some((other) => other?.startsWith(id.slice(0, length)))) length += 1
      return [id, id.slice(0, length)]
    }),
  )
}

/**
 * The id of the delivery whose id begins with `id`, which has the whole time at least. Anything else is returned as it is.
 * Rejects if no id begins with it, or more than one does. The time limits the search to two seconds.
 */
export async function wholeId(client: Client, id: string): Promise<string> {
  if (!beginning.test(id)) return id
  const iso = (ms: number) => new Date(timeOfDeliveryId(id) + ms).toISOString()
  const times = { created_after: iso(-clocksMs), created_before: iso(clocksMs) }
  const { data } = await readPages({ limit: 0, all: true }, (query) =>
    client.listDeliveries({ ...query, ...times }),
  )
  const found = data.map((delivery) => delivery.id).filter((whole) => whole.startsWith(id))
  if (found[0] !== undefined && found.length === 1) return found[0]
  const what = found.length === 0 ? "No delivery" : "More than one delivery"
  throw failed(
    `${what} has an id that begins with ${id}. Give a whole id: ${found.join(", ") || "sitewire delivery list --wide"}`,
  )
}
