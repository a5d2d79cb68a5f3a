/*
 * Defect of kafkajs 2.2.4: while the brokers know no controller, as for a moment after their start, topics cannot be created, changed
 * or deleted, and the request is not repeated.
 * Effect: the setup job fails if it runs at that moment.
 * Delete this file when kafkajs repeats such a request, as it does if it has asked another broker than the controller.
 */
import Cluster from "kafkajs/src/cluster/index.js"
import protocolErrors from "kafkajs/src/protocol/error.js"

const notController = 41

type Metadata = { controllerId: number }

const { findControllerBroker } = Cluster.prototype

Cluster.prototype.findControllerBroker = async function () {
  const metadata = this.brokerPool.metadata as Metadata | null
  if (metadata && metadata.controllerId < 0) throw protocolErrors.createErrorFromCode(notController)
  return findControllerBroker.call(this)
}
