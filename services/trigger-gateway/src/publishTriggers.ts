import type { ConnectorTriggered } from "@sitewire/contracts"
import type { Producer } from "@sitewire/kafka"
import { gather } from "@sitewire/runtime"
import { mergeTriggers, type Trigger } from "./mergeTriggers.ts"

/**
 * Publishes triggers, those of a few milliseconds together, and resolves with the record's correlation once the
 * broker has acknowledged it. One request is under way at a time, so batches grow as the broker gets slower.
 */
export function gatherTriggers(settings: {
  publish: Producer["publish"]
  topic: string
  lingerMs: number
  onPublished: (records: ConnectorTriggered[], triggers: number) => void
}): (trigger: Trigger) => Promise<string> {
  const { publish, topic, lingerMs, onPublished } = settings

  async function publishMerged(triggers: Trigger[]): Promise<string[]> {
    const merged = mergeTriggers(triggers)
    const records = [...merged.values()]
    await publish(records.map((record) => ({ topic, key: record.connection, value: JSON.stringify(record) })))
    onPublished(records, triggers.length)
    return triggers.map(({ connection }) => merged.get(connection)?.correlation ?? "")
  }

  return gather({ lingerMs, maxBatch: 2_000, maxRunning: 1, run: publishMerged })
}
