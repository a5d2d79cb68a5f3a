import { randomBytes } from "node:crypto"
import { startReceiver } from "@sitewire/cli/receivers"
import { expect, test } from "vitest"
import { requestCheck, waitForCheck } from "../fixtures/requestCheck.ts"
import { startInstallation } from "../fixtures/testDispatcher.ts"

test("a check whose secret cannot be decrypted fails, says why, and sends nothing", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver()
  await it.channel("acme", receiver.url)
  await it.dispatcher({ SEALING_KEYS: `other:${randomBytes(32).toString("base64")}` })
  for (const kind of ["test", "certification"]) {
    const row = await waitForCheck(it.sql, await requestCheck(it.sql, { channel: "acme", kind }))
    expect(row).toMatchObject({ state: "failed", error: expect.stringContaining("SEALING_KEYS") })
  }
  expect(receiver.received).toEqual([])
  await receiver.close()
})
