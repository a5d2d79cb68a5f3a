/** The same version as in kafka/pom.xml; a test compares them. */
export const kafkaVersion = "4.1.0"

export const clusterId = "c2l0ZXdpcmUtbG9jYWwtMQ"

export const brokerSettings = {
  // Topics are not created automatically: the setup job creates those of topicCatalogue.ts, and the use of
  // any other topic is a bug.
  "auto.create.topics.enable": "false",
  "num.partitions": "3",
  // By default, a new consumer group waits 3 s for more members.
  "group.initial.rebalance.delay.ms": "0",
  // By default, Kafka's own topics need three nodes, and this is one.
  "default.replication.factor": "1",
  "offsets.topic.replication.factor": "1",
  "transaction.state.log.replication.factor": "1",
  "transaction.state.log.min.isr": "1",
  "share.coordinator.state.topic.replication.factor": "1",
  "share.coordinator.state.topic.min.isr": "1",
  // The default is 50 partitions, each with its own files.
  "offsets.topic.num.partitions": "4",
  "transaction.state.log.num.partitions": "2",
  // The default of 128 MB would be a quarter of the heap.
  "log.cleaner.dedupe.buffer.size": "16777216",
}

/**
 * For a broker without others: killed, it cannot register again until its old session has timed out, by default after 9 s.
 * Clusters have the default, because for so long a dead broker holds up the partitions that it has copies of.
 */
export const shortSession = { "broker.session.timeout.ms": "3000", "broker.heartbeat.interval.ms": "500" }

/**
 * `listen`, `advertised` and each of `controllers` are host:port. `protocol` is the security protocol for
 * clients, such as `SASL_SSL`. Node ids start at 1. The first `controllers.length` nodes are controllers too.
 */
export function nodeSettings(node: {
  data: string
  listen: string
  advertised: string
  controllers: readonly string[]
  id?: number
  protocol?: string
}) {
  const { data, listen, advertised, controllers, id = 1, protocol = "PLAINTEXT" } = node
  const controller = controllers[id - 1]
  return {
    "process.roles": controller ? "broker,controller" : "broker",
    "node.id": String(id),
    "controller.quorum.voters": controllers.map((address, at) => `${at + 1}@${address}`).join(","),
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": `${protocol}:${protocol},CONTROLLER:PLAINTEXT`,
    "inter.broker.listener.name": protocol,
    listeners: controller ? `${protocol}://${listen},CONTROLLER://${controller}` : `${protocol}://${listen}`,
    "advertised.listeners": `${protocol}://${advertised}`,
    "log.dirs": data,
  }
}
