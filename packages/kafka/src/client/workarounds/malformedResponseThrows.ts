/*
 * Defect of kafkajs 2.2.4: a response whose length is wrong throws an error where nobody catches it, or is collected up to 2 GB.
 * Effect: what a proxy, another server at the port or a stream that has lost its framing sends ends the process, also one that
 * only waits for Kafka.
 * Delete this file when kafkajs closes such a connection.
 */
import Connection from "kafkajs/src/network/connection.js"

/** Fetches are much smaller. */
const mostBytes = 256 * 1024 * 1024

const { processData } = Connection.prototype

Connection.prototype.processData = function (data) {
  try {
    processData.call(this, data)
    if (this.bytesNeeded > mostBytes) throw new Error(`it announces ${this.bytesNeeded} bytes`)
  } catch (error) {
    Object.assign(this, { chunks: [], bytesBuffered: 0, bytesNeeded: 4 })
    this.authHandlers?.onError()
    // kafkajs listens: it rejects the requests and closes the connection.
    this.socket.destroy(new Error("The response is no response of Kafka", { cause: error }))
  }
}
