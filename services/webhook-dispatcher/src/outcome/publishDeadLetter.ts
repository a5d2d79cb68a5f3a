import type { DeadLetter } from "@sitewire/contracts"
import { type Traceparent, traceHeaders } from "@sitewire/runtime"
import type { Publish } from "../createPublish.ts"

type DeadDelivery = {
  id: string
  channel: string
  attempts: number
  /** Start of the retry period, ISO 8601. */
  since: string
  correlation: string
  error: string
  status: number | null
  /** The context of the last attempt, if it is recorded. */
  traceparent?: Traceparent | null
}

export type PublishDeadLetter = (dead: DeadDelivery) => Promise<void>

/** Resolves once the broker has acknowledged the dead letter or rejected it for good. */
export function createPublishDeadLetter(publish: Publish, topic: string): PublishDeadLetter {
  return async ({ id, channel, attempts, since, correlation, error, status, traceparent = null }) => {
    const value: DeadLetter = {
      delivery: id,
      channel,
      attempts,
      since,
      last_error: error,
      last_status: status,
      correlation,
    }
    await publish({ topic, key: id, value: JSON.stringify(value), ...traceHeaders(traceparent) })
  }
}

/** Dead letters of deliveries that ended without an attempt, for the reason `error`. */
export async function publishUnattempted(
  publishDeadLetter: PublishDeadLetter,
  deliveries: readonly (Pick<DeadDelivery, "id" | "channel" | "attempts" | "correlation"> & {
    since: Date
  })[],
  error: "not-attempted" | "channel-deleted",
): Promise<void> {
  await Promise.all(
    deliveries.map(({ id, channel, attempts, since, correlation }) =>
      publishDeadLetter({
        id,
        channel,
        attempts,
        since: since.toISOString(),
        correlation,
        error,
        status: null,
      }),
    ),
  )
}
