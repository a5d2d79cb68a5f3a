import { takeFolder } from "./folder.ts"
import { type BrokerLock, type ClusterNode, pickController, startLocalKafka } from "./localKafka.ts"
import type { BackingOptions, StartedBacking } from "./types.ts"

/**
 * Several brokers of one cluster, run with Java: for what one alone cannot show, partitions whose leader moves. Every
 * partition has a copy on each, and where a broker comes back its partitions follow within seconds. The first broker is
 * the controller too, so it has to stay. Data is scratch.
 */
export async function startKafkaCluster({
  directory,
  env,
  progress,
  jars,
  brokers,
  lock,
}: Pick<BackingOptions, "directory" | "env" | "progress"> & {
  jars: string
  brokers: number
  lock?: BrokerLock
}): Promise<{ brokers: StartedBacking[]; stop(): Promise<void> }> {
  const controller = await pickController()
  const copies = String(brokers)
  const settings = {
    "default.replication.factor": copies,
    "offsets.topic.replication.factor": copies,
    "leader.imbalance.check.interval.seconds": "1",
    "leader.imbalance.per.broker.percentage": "0",
  }
  const start = async (node: ClusterNode) => {
    const folder = await takeFolder({ directory, service: "kafka", durability: "scratch", progress })
    return startLocalKafka({ folder, jars, env, progress, node }).catch(async (error: unknown) => {
      await folder.release()
      throw error
    })
  }
  const starting = Array.from({ length: brokers }, (_, at) =>
    start({ id: at + 1, controller, settings, lock }),
  )
  const outcomes = await Promise.allSettled(starting)
  const started = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
  // The controller last: the others say goodbye to it.
  const stop = async () => {
    for (const broker of started.toReversed()) await broker.stop()
  }
  const failed = outcomes.find((outcome) => outcome.status === "rejected")
  if (failed) {
    await stop()
    throw failed.reason
  }
  return { brokers: started, stop }
}
