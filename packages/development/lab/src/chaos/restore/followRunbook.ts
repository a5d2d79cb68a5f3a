import { setTimeout as sleep } from "node:timers/promises"
import { deleteTopics, rewindGroup } from "@sitewire/kafka"
import type { SupervisedProcess } from "@sitewire/testkit/installation"
import { groups } from "../groups.ts"
import type { ChaosInstallation } from "../startChaosInstallation.ts"
import { type PostgresCopy, putBack } from "./postgresCopy.ts"

/**
 * The consumer groups are rewound to this long before the copy was taken (in the runbook, an hour). It must
 * be longer than their lag at that time, and than clocks differ.
 */
export const backMs = 10_000

/**
 * Follows the numbered steps of "Restoring Postgres to an older copy" in docs/operators/restore.md. Steps 1,
 * 4, 7 and 9 are about erasures and other changes by operators, which a run does not make. `lostTopics` are
 * lost together with Postgres.
 */
export async function followRunbook(settings: {
  it: ChaosInstallation
  schedulers: SupervisedProcess[]
  others: SupervisedProcess[]
  windowMs: number
  copy: PostgresCopy
  retryDelaysMs: readonly number[]
  lostTopics: string[]
}): Promise<void> {
  const { it, schedulers, others, windowMs, copy, retryDelaysMs, lostTopics } = settings
  // 2. Stop all.
  await Promise.all([...schedulers, ...others].map((service) => service.end()))
  const stoppedAt = Date.now()
  if (lostTopics.length > 0) await deleteTopics(it.kafka, lostTopics)
  // 3. Restore Postgres.
  await putBack(it, copy)
  // 5. Run the setup job.
  await it.setUp(retryDelaysMs)
  // 6. Rewind both groups.
  const rewind = (group: string, topic: string) =>
    rewindGroup({ kafka: it.kafka, group, topic, since: copy.takenAt - backMs })
  await Promise.all([
    rewind(groups.paid, it.names.sitePaid),
    rewind(groups.triggers, it.names.connectorTriggered),
  ])
  // 8. Start all. The schedulers start a window after the stop: the copy does not know the newest syncs, so
  // it would let their connections be synced again too soon.
  const starting = others.map((service) => service.start())
  await sleep(Math.max(0, stoppedAt + windowMs - Date.now()))
  await Promise.all([...starting, ...schedulers.map((scheduler) => scheduler.start())])
}
