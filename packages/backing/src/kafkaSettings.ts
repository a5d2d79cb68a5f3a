/** The version that kafka/pom.xml names; a test compares the two. */
export const kafkaVersion = "4.1.0"

/** Any constant will do: each folder holds a cluster of one node, and no two clusters ever meet. */
export const clusterId = "c2l0ZXdpcmUtbG9jYWwtMQ"

/** The same for every broker we start. */
export const brokerSettings = {
  // A topic that nobody declared is a mistake, and should be one here too.
  "auto.create.topics.enable": "false",
  "num.partitions": "3",
  // The default waits 3 s before the first rebalance of a group, in case more members come.
  "group.initial.rebalance.delay.ms": "0",
  // One node: the internal topics cannot have the three copies they would ask for.
  "default.replication.factor": "1",
  "offsets.topic.replication.factor": "1",
  "transaction.state.log.replication.factor": "1",
  "transaction.state.log.min.isr": "1",
  "share.coordinator.state.topic.replication.factor": "1",
  "share.coordinator.state.topic.min.isr": "1",
  // 50 by default, each with its own files and its own loading at the first use.
  "offsets.topic.num.partitions": "4",
  "transaction.state.log.num.partitions": "2",
  // After a kill the controller refuses the same node until the session of its former life is over: 9 s by default.
  "broker.session.timeout.ms": "3000",
  "broker.heartbeat.interval.ms": "500",
  // 128 MB of a heap of 512 by default.
  "log.cleaner.dedupe.buffer.size": "16777216",
}

/**
 * `listen`, `advertised` and `controllers` are host:port; `protocol` is what clients must speak, as
 * `SASL_SSL`. The first nodes, by `id` from 1, are controllers as well, as many as `controllers` names.
 */
export function nodeSettings({
  data,
  listen,
  advertised,
  controllers,
  id = 1,
  protocol = "PLAINTEXT",
}: {
  data: string
  listen: string
  advertised: string
  controllers: readonly string[]
  id?: number
  protocol?: string
}) {
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
