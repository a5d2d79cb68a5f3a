/*
 * Defect of kafkajs 2.2.4: a request that times out leaves its connection open, and kafkajs looks for new partition leaders
 * only after a connection was closed. It keeps asking a broker that hangs although other brokers have taken over.
 * Measured: a consumer missed that broker's partitions for one minute, a producer its whole topic for five, and no client
 * could start if the broker was first in the list.
 * Here, as in Java's client, a request that times out closes the connections to its broker.
 * Delete this file when the client disconnects after a request timeout.
 */
import kafkajs from "kafkajs"
import errors from "kafkajs/src/errors.js"
import ConnectionPool from "kafkajs/src/network/connectionPool.js"

const { send } = ConnectionPool.prototype

ConnectionPool.prototype.send = async function (request) {
  try {
    return await send.call(this, request)
  } catch (error) {
    if (!(error instanceof kafkajs.KafkaJSRequestTimeoutError)) throw error
    const { host, port } = this
    const closed = new errors.KafkaJSConnectionClosedError(error.message, { host, port })
    for (const connection of this.pool.filter((connection) => connection.isConnected())) {
      // Destroyed and cleared: late bytes would be parsed as the beginning of the next connection's first response.
      connection.socket.destroy()
      Object.assign(connection, { chunks: [], bytesBuffered: 0, bytesNeeded: 4 })
      connection.rejectRequests(closed)
      await connection.disconnect()
    }
    // ApiVersions is a connection's first request. Only after a KafkaJSConnectionError does kafkajs try the next broker.
    if (request.request.apiName === "ApiVersions")
      throw new kafkajs.KafkaJSConnectionError(error.message, { broker: `${host}:${port}` })
    throw closed
  }
}
