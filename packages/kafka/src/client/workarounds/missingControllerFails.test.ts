import ConnectionPool from "kafkajs/src/network/connectionPool.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { realBroker, uniqueName } from "../../../test/fixtures/realBroker.ts"
import { ensureTopics } from "../../admin/ensureTopics.ts"

type Decoded = { controllerId: number }
type Call = { request: { apiName: string }; response: { decode(data: Buffer): Promise<Decoded> } }

test("topics are created although the brokers know no controller at first", async () => {
  const { send } = ConnectionPool.prototype
  let hidden = 0
  const spy = vi.spyOn(ConnectionPool.prototype, "send").mockImplementation(function (
    this: ConnectionPool,
    call,
  ) {
    const { request, response } = call as Call
    if (request.apiName !== "Metadata" || hidden === 4) return send.call(this, call)
    hidden++
    const decode = async (data: Buffer) => ({ ...(await response.decode(data)), controllerId: -1 })
    return send.call(this, { ...call, response: { ...response, decode } } as Call)
  })
  onTestFinished(() => spy.mockRestore())
  const topic = { name: uniqueName("ours"), partitions: 1, config: {} }
  expect(await ensureTopics({ kafka: realBroker(), topics: [topic] })).toMatchObject({
    created: [topic.name],
  })
  expect(hidden).toBe(4)
})
