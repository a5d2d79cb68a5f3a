import type { ClientLogin } from "./local/startLocalKafka.ts"
import { startKafka } from "./startKafka.ts"
import { startKafkaCluster } from "./startKafkaCluster.ts"
import { startPostgres } from "./startPostgres.ts"
import type { BackingOptions, BackingService } from "./types.ts"

export type BackingServicesOptions = Omit<BackingOptions, "port"> & {
  ports?: { postgres?: number; kafka?: number }
  jars: string
  /** How many brokers to start. If there are several, they form a cluster, and KAFKA_BROKERS is ignored. */
  brokerCount?: number
  /** With several brokers: the version of each, by its number from 1, read at each start. */
  kafkaVersion?: ((broker: number) => string) | undefined
  /** How clients log in to Kafka, which is then a cluster without Docker, too. Undefined: without a login. */
  kafkaLogin?: ClientLogin | undefined
}

export type BackingServices<Service = BackingService> = {
  postgres: Service
  /** One service for each broker that was started. All brokers of KAFKA_BROKERS are one service. */
  kafka: Service[]
  databaseUrl: string
  brokers: string[]
  stop(): Promise<void>
}

/**
 * Starts Postgres and Kafka, or uses those that DATABASE_URL and KAFKA_BROKERS name. If one fails to start,
 * the other is stopped.
 */
export async function startBackingServices(options: BackingServicesOptions): Promise<BackingServices> {
  const { ports = {}, brokerCount = 1, kafkaLogin, progress } = options
  const report = (name: string, { kind }: BackingService) =>
    progress(`${name} is ready (${kind === "given" ? "from the environment" : kind})`)
  const startBrokers = async () => {
    if (brokerCount > 1 || kafkaLogin)
      return startKafkaCluster({
        ...options,
        brokers: brokerCount,
        ...(kafkaLogin && { login: kafkaLogin }),
      })
    const broker = await startKafka({ ...options, port: ports.kafka })
    return { brokers: [broker], stop: () => broker.stop() }
  }
  const starting = [
    startPostgres({ ...options, port: ports.postgres }).then((postgres) => {
      report("Postgres", postgres)
      return postgres
    }),
    startBrokers().then((kafka) => {
      for (const broker of kafka.brokers) report("Kafka", broker)
      return kafka
    }),
  ] as const
  const outcomes = await Promise.allSettled(starting)
  const stop = async () => {
    const stopping = outcomes.map((outcome) => outcome.status === "fulfilled" && outcome.value.stop())
    await Promise.all(stopping)
  }
  try {
    const [postgres, { brokers }] = await Promise.all(starting)
    return {
      postgres,
      kafka: brokers,
      databaseUrl: postgres.address,
      brokers: brokers.flatMap(({ address }) => address.split(",")),
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}
