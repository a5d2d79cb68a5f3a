import kafkajs from "kafkajs"
import errors from "kafkajs/src/errors.js"
import ConnectionPool from "kafkajs/src/network/connectionPool.js"

/**
 * kafkajs 2.2.4 goes on asking a broker that answers no more, because it hangs or its machine is gone, long after others
 * have taken over from it: only a closed connection makes it look for who leads now. A consumer, healthy by another's
 * heartbeats, was without that broker's partitions for a minute, a producer without its whole topic for five. So, as in
 * Java's client, a request that is not answered in time closes the connections to its broker.
 */
const { send } = ConnectionPool.prototype

ConnectionPool.prototype.send = async function (request) {
  try {
    return await send.call(this, request)
  } catch (error) {
    if (!(error instanceof kafkajs.KafkaJSRequestTimeoutError)) throw error
    const { host, port } = this
    const closed = new errors.KafkaJSConnectionClosedError(error.message, { host, port })
    for (const connection of this.pool.filter((connection) => connection.isConnected())) {
      // Ended only, it could still bring late answers; and half of one would be read as the next connection's beginning.
      connection.socket.destroy()
      Object.assign(connection, { chunks: [], bytesBuffered: 0, bytesNeeded: 4 })
      connection.rejectRequests(closed)
      await connection.disconnect()
    }
    // Its first request: after this error, and no other, kafkajs connects to the next broker of its list.
    if (request.request.apiName === "ApiVersions")
      throw new kafkajs.KafkaJSConnectionError(error.message, { broker: `${host}:${port}` })
    throw closed
  }
}
