import { randomBytes } from "node:crypto"
import { waitUntil } from "@sitewire/testkit"
import { KafkaContainer } from "@testcontainers/kafka"
import { PostgreSqlContainer } from "@testcontainers/postgresql"
import {
  GenericContainer,
  getContainerRuntimeClient,
  Network,
  type StartedNetwork,
  type StartedTestContainer,
  Wait,
} from "testcontainers"
import { pickPort } from "../../../development/testkit/src/backing/pickPort.ts"
import { imageOf, type ProcessName } from "./buildImages.ts"
import { importKafkaImage } from "./localImages/kafkaImage.ts"
import { importPostgresImage } from "./localImages/postgresImage.ts"
import { obtainImage } from "./obtainImage.ts"

const freePort = () => pickPort({ wanted: 0, service: "a container" })

/** By default, the port on this machine changes when the container restarts, and clients are told the old one. */
class FixedPortKafka extends KafkaContainer {
  readonly #port: number

  constructor(image: string, port: number) {
    super(image)
    this.#port = port
  }

  protected override async beforeContainerCreated() {
    await super.beforeContainerCreated()
    this.withExposedPorts({ container: 9093, host: this.#port })
  }
}

/**
 * Starts Kafka, Postgres, the setup job and the four services. The ports on this machine are fixed, so that they
 * stay the same when a container restarts. If one does not start, removes the others.
 */
export async function startContainers() {
  const network = await new Network().start()
  const containers = new Map<string, StartedTestContainer>()
  const remove = async () => {
    await Promise.all([...containers.values()].map((container) => container.stop({ removeVolumes: true })))
    await network.stop()
  }
  try {
    return { ...(await startAll(network, containers)), containers, remove }
  } catch (error) {
    await remove().catch(() => {})
    throw error
  }
}

/** Adds each container to `containers` once it has started. */
async function startAll(network: StartedNetwork, containers: Map<string, StartedTestContainer>) {
  const kafkaImage = await obtainImage("confluentinc/cp-kafka:8.1.0", importKafkaImage)
  const postgresImage = await obtainImage("postgres:18-alpine", importPostgresImage)
  const client = await getContainerRuntimeClient()
  const gateway = (await client.network.getById(network.getId()).inspect()).IPAM?.Config?.[0]?.Gateway ?? ""
  const opsPorts = new Map<string, number>()
  const handle = (name: string) => client.container.getById(containers.get(name)?.getId() ?? "")

  const add = async <T extends StartedTestContainer>(name: string, starting: Promise<T>): Promise<T> => {
    const started = await starting
    containers.set(name, started)
    return started
  }

  const [kafkaPort, postgresPort] = [await freePort(), await freePort()]
  const [, postgres] = await settled([
    add(
      "kafka",
      new FixedPortKafka(kafkaImage, kafkaPort)
        .withKraft()
        .withNetwork(network)
        .withNetworkAliases("kafka")
        .withWaitStrategy(Wait.forLogMessage(/Kafka Server started/))
        .start(),
    ),
    add(
      "postgres",
      new PostgreSqlContainer(postgresImage)
        .withNetwork(network)
        .withNetworkAliases("postgres")
        .withWaitStrategy(Wait.forHealthCheck())
        .withExposedPorts({ container: 5432, host: postgresPort })
        .start(),
    ),
  ])

  const login = `${postgres.getUsername()}:${postgres.getPassword()}`
  const environment = {
    DATABASE_URL: `postgres://${login}@postgres:5432/${postgres.getDatabase()}`,
    KAFKA_BROKERS: "kafka:9092",
    SEALING_KEYS: `k1:${randomBytes(32).toString("base64")}`,
    ALLOW_HTTP: "true",
    ALLOWED_RANGES: `${gateway}/32`,
    PARTNER_ALLOWED_RANGES: `${gateway}/32`,
    RETRY_DELAYS: "1s,2s,5s",
    RETRY_PERIOD: "5m",
    SYNC_WINDOW: "5s",
    ALLOW_SHORT_WINDOW: "true",
  }
  const key = `swk_${randomBytes(32).toString("base64url")}`
  const setup = await new GenericContainer(imageOf("setup"))
    .withNetwork(network)
    .withEnvironment({ ...environment, FIRST_API_KEY: key, TOPIC_REPLICATION: "1" })
    .withWaitStrategy(Wait.forOneShotStartup())
    .start()
  await setup.stop()

  const start = async (
    name: ProcessName,
    own: Record<string, string>,
    ports: [container: number, host: number][],
  ) => {
    const opsPort = await freePort()
    opsPorts.set(name, opsPort)
    const container = new GenericContainer(imageOf(name))
      .withNetwork(network)
      .withEnvironment({ ...environment, ...own })
      .withDroppedCapabilities("ALL")
      .withExposedPorts(...ports.map(([container, host]) => ({ container, host })), {
        container: 9090,
        host: opsPort,
      })
      .withWaitStrategy(Wait.forHttp("/readyz", 9090))
    await add(name, container.start())
  }
  const [gatewayPort, consolePort] = [await freePort(), await freePort()]
  const origin = `http://127.0.0.1:${gatewayPort}`
  await settled([
    start("trigger-gateway", {}, [[8080, gatewayPort]]),
    start("sync-scheduler", {}, []),
    start("webhook-dispatcher", {}, []),
    start("console", { CONSOLE_HOST: "0.0.0.0", GATEWAY_ORIGIN: origin }, [[8090, consolePort]]),
  ])

  return {
    /** The address under which containers reach this machine. */
    gateway,
    broker: `127.0.0.1:${kafkaPort}`,
    api: `http://127.0.0.1:${consolePort}`,
    key,
    /**
     * Restarts a container, and waits until a service is ready again. A process that ignores SIGTERM is killed after
     * five seconds; Kafka is, because it runs below a shell. Not `StartedTestContainer.restart`: it waits for
     * a line of Kafka's log that Docker can date before the start, and then misses it.
     */
    async restart(name: string) {
      await client.container.restart(handle(name), { timeout: 5_000 })
      const ops = opsPorts.get(name)
      if (ops === undefined) return
      const isReady = async () => (await fetch(`http://127.0.0.1:${ops}/readyz`)).ok
      await waitUntil(`${name} to be ready`, isReady, 60_000)
    },
    /** Stops a container as Kubernetes does, and returns its exit code. */
    async stop(name: string): Promise<number> {
      await client.container.stop(handle(name), { timeout: 30_000 })
      return (await client.container.inspect(handle(name))).State.ExitCode
    },
  }
}

/** Like `Promise.all`, but rejects only when nothing is starting any more, so that all of it can be removed. */
async function settled<T extends readonly unknown[] | []>(starting: T) {
  await Promise.allSettled(starting)
  return Promise.all(starting)
}
