import { claimFolder } from "./claimFolder.ts"
import {
  type ClientLogin,
  type ClusterNode,
  pickController,
  startLocalKafka,
} from "./local/startLocalKafka.ts"
import type { BackingOptions, LocalService } from "./types.ts"

/**
 * Starts a cluster without Docker, for tests in which a partition's leader moves. Each partition has a copy
 * on up to three brokers, and a restarted broker leads its partitions again within seconds. Of three or more
 * brokers, any one may be stopped. Of two, only the second may, because the first is the only controller.
 * `stop` removes the data.
 */
export async function startKafkaCluster(
  options: Pick<BackingOptions, "directory" | "env" | "progress"> & {
    jars: string
    brokers: number
    login?: ClientLogin
    /** The version of each broker, by its number from 1, read at each start. */
    kafkaVersion?: ((broker: number) => string) | undefined
  },
): Promise<{ brokers: LocalService[]; stop(): Promise<void> }> {
  const { directory, env, progress, jars, brokers, login, kafkaVersion } = options
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
  const starting = Array.from({ length: brokers }, (_, at) => {
    const version = kafkaVersion && (() => kafkaVersion(at + 1))
    return start({ id: at + 1, controllers, settings, login, version })
  })
  const outcomes = await Promise.allSettled(starting)
  const started = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []))
  // Brokers are killed, because an orderly shutdown waits for controllers, which may have ended already.
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
