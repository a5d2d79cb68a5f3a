/*
 * Defect of kafkajs 2.2.4: a read of metadata that every broker fails returns null, and the errors are lost.
 * Effect: if no broker responds, or a topic is deleted meanwhile, `fetchTopicMetadata` throws "Cannot read
 * properties of null", and is not repeated.
 * Delete this file when kafkajs throws the last broker's error.
 */
import kafkajs from "kafkajs"
import Cluster from "kafkajs/src/cluster/index.js"

Cluster.prototype.metadata = function ({ topics = [] } = {}) {
  return this.retrier(async (bail) => {
    try {
      await this.brokerPool.refreshMetadataIfNecessary(topics)
      const broker = await this.brokerPool.findConnectedBroker()
      return await broker.metadata(topics)
    } catch (error) {
      if (!isUnavailability(error)) return bail(error)
      throw error
    }
  })
}

/** False for what kafkajs has repeated already. */
function isUnavailability(error: unknown): boolean {
  if (error instanceof kafkajs.KafkaJSProtocolError) return error.type === "LEADER_NOT_AVAILABLE"
  return error instanceof kafkajs.KafkaJSError && error.retriable
}
