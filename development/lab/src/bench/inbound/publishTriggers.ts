import type { ConnectorTriggered } from "@sitewire/contracts"
import type { Bench } from "../startBench.ts"

const atOnce = 5_000

/** Publishes one trigger of each of these connections, in this order, as a gateway would. */
export async function publishTriggers(it: Bench, connections: readonly string[]): Promise<void> {
  for (let from = 0; from < connections.length; from += atOnce) {
    const at = new Date().toISOString()
    const records = connections.slice(from, from + atOnce).map((connection, index) => {
      const correlation = `c-${from + index}`
      const value: ConnectorTriggered = { connection, first_at: at, last_at: at, count: 1, correlation }
      return { topic: it.names.connectorTriggered, key: connection, value: JSON.stringify(value) }
    })
    await it.publish(records)
  }
}
