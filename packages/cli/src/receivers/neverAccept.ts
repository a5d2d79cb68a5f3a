import { once } from "node:events"
import { connect } from "node:net"
import { Worker } from "node:worker_threads"

// The server's thread blocks itself, so Node never accepts a connection. The kernel queues connections for it
// until the backlog is full. Further connections then wait for ever.
const code = `
  const { parentPort, workerData } = require("node:worker_threads")
  const server = require("node:net").createServer()
  server.on("error", (error) => { throw error })
  server.listen({ port: workerData.port, host: "127.0.0.1", backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  })`

// How many connections are opened to fill the queue. Linux queues one more than the backlog; other systems
// may queue more.
const FILLERS = 4

/** A port whose queue of connections is full, so that connecting never ends. */
export async function neverAccept(port: number): Promise<{ port: number; close: () => Promise<void> }> {
  const worker = new Worker(code, { eval: true, workerData: { port } })
  const [bound] = (await once(worker, "message")) as [number]
  const fillers = Array.from({ length: FILLERS }, () => connect(bound, "127.0.0.1").on("error", () => {}))
  await once(fillers[0] ?? worker, "connect")
  return {
    port: bound,
    async close() {
      for (const socket of fillers) socket.destroy()
      await worker.terminate()
    },
  }
}
