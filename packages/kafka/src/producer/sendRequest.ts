import type Broker from "kafkajs/src/broker/index.js"
import errors from "kafkajs/src/errors.js"
import protocolErrors from "kafkajs/src/protocol/error.js"
import { withErrorsInResponse } from "../client/workarounds/firstErrorHidesResponse.ts"

export type BrokerError = { type: string; message: string }

export async function sendRequest(
  broker: Broker,
  apiKey: number,
  versions: object,
  parameters: object,
): Promise<object> {
  const call = broker.lookupRequest(apiKey, versions)(parameters)
  try {
    return await broker.connectionPool.send(withErrorsInResponse(call))
  } catch (error) {
    if (error instanceof errors.KafkaJSConnectionClosedError) await broker.disconnect()
    throw error
  }
}

export function brokerError(code: number): BrokerError | null {
  if (code === 0) return null
  const { type, message } = protocolErrors.createErrorFromCode(code)
  return { type, message }
}
