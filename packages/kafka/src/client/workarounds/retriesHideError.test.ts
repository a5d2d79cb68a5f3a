import Broker from "kafkajs/src/broker/index.js"
import { expect, onTestFinished, test, vi } from "vitest"
import { protocolError } from "../../../test/fixtures/protocolError.ts"
import { realBroker } from "../../../test/fixtures/realBroker.ts"
import { withAdmin } from "../../admin/withAdmin.ts"
import { isProtocolError } from "../isProtocolError.ts"

test("a broker's error is recognised after kafkajs has retried in vain", async () => {
  const unavailable = protocolError("LEADER_NOT_AVAILABLE")
  const spy = vi.spyOn(Broker.prototype, "metadata").mockRejectedValue(unavailable)
  onTestFinished(() => spy.mockRestore())
  const failing = withAdmin(realBroker(), 5_000, (admin) => admin.fetchTopicMetadata({ topics: ["any"] }))
  const error = await failing.catch((error: unknown) => error)
  expect(error).toBeInstanceOf(Error)
  expect(isProtocolError(error, "LEADER_NOT_AVAILABLE")).toBe(true)
})
