import type { DueDelivery } from "@sitewire/deliveries"
import { type Logger, type Traceparent, type Tracing, traceFields } from "@sitewire/runtime"
import { endAttemptSpan, startAttemptSpan } from "./attemptSpan.ts"
import type { AttemptOutcome, SendRequest } from "./sendRequest.ts"
import type { Network } from "./watchNetwork.ts"

export type AttemptParts = { send: SendRequest; network: Network; tracing: Tracing; log: Logger }

/**
 * `outcome`: "fault" if the attempt failed because of us, and not because of the partner. Null if the process's stop aborted it.
 * `traceparent`: the context of the attempt's span.
 */
export type Attempted = { outcome: AttemptOutcome | "fault" | null; traceparent: Traceparent | null }

/** Sends the request of a delivery, in a span of its own if its trace is recorded. */
export function createAttempt({ send, network, tracing, log }: AttemptParts) {
  return async function attempt(due: DueDelivery): Promise<Attempted> {
    const span = startAttemptSpan(tracing, due)
    const traceparent = span?.traceparent ?? null
    const outcome = await request(due, traceparent)
    endAttemptSpan(span, outcome)
    return { outcome, traceparent }
  }

  async function request(due: DueDelivery, traceparent: Traceparent | null): Promise<Attempted["outcome"]> {
    try {
      const outcome = await send(due, traceparent)
      return outcome !== null && network.isOurFault(due.channel.id, outcome) ? "fault" : outcome
    } catch (error) {
      const { id: delivery, eventId: event, channel, attempt, correlation } = due
      log.error(
        { delivery, event, channel: channel.id, attempt, correlation, ...traceFields(traceparent), error },
        "an attempt could not be made; the delivery is deferred",
      )
      return "fault"
    }
  }
}
