/*
 * Defect of kafkajs 2.2.4: a request that times out leaves its connection open, and only a closed connection
 * makes kafkajs look for new partition leaders. So it stays with a broker that hangs although others have
 * become the leaders.
 * Measured: a consumer got no records of some partitions for one minute, and a producer could not send for
 * five.
 * Delete this file when kafkajs disconnects after a request timeout.
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
      // Otherwise late bytes would be parsed as part of the next connection's first response.
      connection.socket.destroy()
      Object.assign(connection, { chunks: [], bytesBuffered: 0, bytesNeeded: 4 })
      connection.rejectRequests(closed)
      await connection.disconnect()
    }
    // ApiVersions is a connection's first request. If it times out, kafkajs should try the next broker, which
    // it does only after a KafkaJSConnectionError.
    if (request.request.apiName === "ApiVersions")
      throw new kafkajs.KafkaJSConnectionError(error.message, { broker: `${host}:${port}` })
    throw closed
  }
}
