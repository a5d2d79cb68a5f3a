import { once } from "node:events"
import { type AddressInfo, createServer } from "node:net"
import { expect, onTestFinished, test } from "vitest"
import { silentLog } from "../../../test/fixtures/realBroker.ts"
import { checkBroker } from "../checkBroker.ts"
import { connectKafka } from "../connectKafka.ts"

test.each(["00000000", "0000000201ff", "ffffffff", "7fffffff00000001"])(
  "a server that responds with the bytes %s is no broker, and ends no process",
  async (hex) => {
    const server = createServer((socket) => {
      socket.on("error", () => {})
      socket.on("data", () => socket.write(Buffer.from(hex, "hex")))
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo
    const kafka = connectKafka({ brokers: [`127.0.0.1:${port}`], clientId: "test", log: silentLog })
    expect(await checkBroker({ kafka, deadlineMs: 1_000 })).not.toEqual({ status: "reachable" })
  },
)
