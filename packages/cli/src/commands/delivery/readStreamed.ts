import { type DeliveryWithAttempts, type StreamedDelivery, streamedDeliverySchema } from "@sitewire/contracts"
import type { Input } from "@sitewire/contracts/client"
import type { Client } from "../../api/client.ts"

/** The newest stored deliveries of one page, oldest first, as the stream would send them. */
export async function readStreamed(
  client: Client,
  query: Input<"listDeliveries">,
): Promise<StreamedDelivery[]> {
  const { data } = await client.listDeliveries(query)
  const streamed: StreamedDelivery[] = []
  for (const { id } of data.toReversed()) streamed.push(asStreamed(await client.readDelivery({ id })))
  return streamed
}

function asStreamed({ attempt_log, body, waiting_for, ...delivery }: DeliveryWithAttempts): StreamedDelivery {
  return streamedDeliverySchema.parse({
    ...delivery,
    reference: body?.reference ?? null,
    deferred_reason: waiting_for === "retry" ? null : waiting_for,
    last_attempt: attempt_log.at(-1) ?? null,
  })
}
