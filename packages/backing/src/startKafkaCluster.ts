import { claimFolder } from "./claimFolder.ts"
import {
  type BrokerLock,
  type ClusterNode,
  pickController,
  startLocalKafka,
} from "./local/startLocalKafka.ts"
import type { BackingOptions, StartedBackingService } from "./types.ts"

/**
 * Several brokers of one cluster, run with Java: for what one alone cannot show, partitions whose leader moves. Every
 * partition has a copy on each, up to three, and where a broker comes back its partitions follow within seconds. Of three
 * and more any one may go away; of two only the second, since the first is the only controller. Data is scratch.
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
}): Promise<{ brokers: StartedBackingService[]; stop(): Promise<void> }> {
  const controllers: string[] = []
  while (controllers.length < (brokers < 3 ? 1 : 3)) controllers.push(await pickController())
  const copies = String(Math.min(3, brokers))
  const settings = {
    "default.replication.factor": copies,
    "offsets.topic.replication.factor": copies,
    "leader.imbalance.check.interval.seconds": "1",
    "leader.imbalance.per.broker.percentage": "0",
  }
  const start = async (node: ClusterNode) => {
    const folder = await claimFolder({ directory, service: "kafka", durability: "scratch", progress })
    return startLocalKafka({ folder, jars, env, progress, node }).catch(async (error: unknown) => {
      await folder.release()
      throw error
    })
  }
  const starting = Array.from({ length: brokers }, (_, at) =>
    start({ id: at + 1, controllers, settings, lock }),
  )
  const outcomes = await Promise.allSettled(starting)
  const started = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
  // Nobody needs the data: one that says goodbye waits for controllers that have left before it.
  const stop = async () => {
    await Promise.all(started.map((broker) => broker.halt("kill")))
    await Promise.all(started.map((broker) => broker.stop()))
  }
  const failed = outcomes.find((outcome) => outcome.status === "rejected")
  if (failed) {
    await stop()
    throw failed.reason
  }
  return { brokers: started, stop }
}
