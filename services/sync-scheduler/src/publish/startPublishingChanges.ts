import type { Producer } from "@sitewire/kafka"
import { type Logger, type RowClaim, reasonOf, startPublishingRows } from "@sitewire/runtime"
import type { UnpublishedChange } from "@sitewire/syncs"

/** Publishes which connections have a new content, or were deleted (a tombstone). The producer's deadline is `publishWithinMs`. */
export function startPublishingChanges(parts: {
  claim: (settings: RowClaim) => Promise<UnpublishedChange[]>
  settle: (changes: UnpublishedChange[]) => Promise<void>
  producer: Pick<Producer, "publish">
  topic: string
  onTopic: (working: boolean, why?: string) => void
  intervalMs: number
  log: Logger
}): { close(): Promise<void> } {
  const { claim, settle, producer, topic, onTopic, intervalMs, log } = parts

  async function publish({ connection, content }: UnpublishedChange): Promise<boolean> {
    try {
      await producer.publish([{ topic, key: connection, value: content && JSON.stringify(content) }])
    } catch (error) {
      onTopic(false, reasonOf(error))
      return false
    }
    onTopic(true)
    return true
  }

  return startPublishingRows({
    claim,
    publish,
    settle,
    intervalMs,
    failed: "changes of connections could not be published; it is repeated",
    log,
  })
}
