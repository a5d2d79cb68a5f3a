import { startProcess } from "@sitewire/testkit"
import { expect, test } from "vitest"

test("a gateway does not start if it would accept triggers until its stop is forced", async () => {
  const gateway = startProcess("services/trigger-gateway/src/main.ts", {
    DATABASE_URL: "postgres://127.0.0.1:1/none",
    KAFKA_BROKERS: "127.0.0.1:1",
    GATEWAY_DRAIN_DELAY: "25s",
  })
  await expect(gateway).rejects.toThrow(/GATEWAY_DRAIN_DELAY is 25000 ms and SHUTDOWN_DEADLINE 25000 ms/)
})
