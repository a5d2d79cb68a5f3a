import { expect, test } from "vitest"
import { startInstallation } from "../fixtures/testDispatcher.ts"

test.each(["webhook-dispatcher", "sync-scheduler", "trigger-gateway"])(
  "%s exits with the names of the missing topics, and with what to do",
  async (service) => {
    await using it = await startInstallation()
    const main = `services/${service}/src/main.ts`
    const start = it.service(main, { TOPIC_PREFIX: "nobody-made-these.", STARTUP_DEADLINE: "1s" })
    await expect(start).rejects.toThrow(/missing: nobody-made-these\.[\s\S]*Run the setup job/)
  },
  30_000,
)
