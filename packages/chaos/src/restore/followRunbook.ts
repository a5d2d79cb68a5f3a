import { deleteTopics, rewindGroup } from "@sitewire/kafka"
import { groups } from "../groups.ts"
import type { Installation } from "../startInstallation.ts"
import type { Member } from "../startMember.ts"
import { type PostgresCopy, putBack } from "./postgresCopy.ts"

/** More than what waited when the copy was taken, and than publishers' clocks are ahead. */
const marginMs = 10_000

/** The steps of docs/runbook.md, "What was lost with a store". `lostTopics` are lost with Postgres. */
export async function followRunbook(settings: {
  it: Installation
  services: Member[]
  copy: PostgresCopy
  retryDelaysMs: readonly number[]
  lostTopics: string[]
}): Promise<void> {
  const { it, services, copy, retryDelaysMs, lostTopics } = settings
  await Promise.all(services.map((service) => service.end()))
  if (lostTopics.length > 0) await deleteTopics(it.kafkaConnection, lostTopics)
  await putBack(it, copy)
  await it.setUp(retryDelaysMs)
  const rewind = (group: string, topic: string) =>
    rewindGroup({ kafka: it.kafkaConnection, group, topic, since: copy.takenAt - marginMs })
  await Promise.all([
    rewind(groups.paid, it.names.sitePaid),
    rewind(groups.triggers, it.names.connectorTriggered),
  ])
  await Promise.all(services.map((service) => service.start()))
}
