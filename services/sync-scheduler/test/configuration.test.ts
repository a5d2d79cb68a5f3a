import { startProcess } from "@sitewire/testkit"
import { expect, test } from "vitest"

test("a scheduler does not start if more than one sync a minute could start", async () => {
  const scheduler = startProcess("services/sync-scheduler/src/main.ts", {
    DATABASE_URL: "postgres://127.0.0.1:1/none",
    KAFKA_BROKERS: "127.0.0.1:1",
    SEALING_KEYS: `k1:${Buffer.alloc(32, 1).toString("base64")}`,
    SYNC_WINDOW: "59s",
  })
  await expect(scheduler).rejects.toThrow(/SYNC_WINDOW is 59000 ms/)
})
