/*
 * Defect of kafkajs 2.2.4: its parsers throw at the first error in a response and discard what the response says about other
 * partitions. Effects: one partition without a leader failed every send to its topic; one rejected record failed its whole
 * request; and retrying the records that had been appended duplicated them.
 * Delete this file when the client returns an error per partition; `producer/brokerConnections.ts` and
 * `producer/produceRequest.ts` are then not needed either.
 */
import type Broker from "kafkajs/src/broker/index.js"

type Call = ReturnType<ReturnType<Broker["lookupRequest"]>>

/** The same request; its response is returned with the errors in it. */
export function withErrorsInResponse({ request, response }: Call): Call {
  return { request, response: { ...response, parse: async (data: object) => data } }
}
