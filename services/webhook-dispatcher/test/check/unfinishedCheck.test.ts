import { randomBytes } from "node:crypto"
import { startReceiver } from "@sitewire/cli/receivers"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { isSigned } from "../fixtures/libraryReceiver.ts"
import { readCheck, requestCheck, waitForCheck } from "../fixtures/requestCheck.ts"
import { secret, startInstallation } from "../fixtures/testDispatcher.ts"

test("a dispatcher that stops releases its test, and another one claims it at once", async () => {
  await using it = await startInstallation()
  let stopped = false
  const receiver = await startReceiver((_, response) => {
    if (stopped) response.writeHead(204).end()
  })
  await it.channel("acme", receiver.url)
  const first = await it.dispatcher()
  const id = await requestCheck(it.sql, { channel: "acme" })
  await waitUntil("the request", () => receiver.received.length === 1)
  expect(await first.stop()).toBe(0)
  stopped = true
  expect(await readCheck(it.sql, id)).toMatchObject({ state: "waiting", claims: 0, lease_expires_at: null })
  await it.dispatcher()
  expect(await waitForCheck(it.sql, id)).toMatchObject({ state: "done", claims: 1 })
  await receiver.close()
})

test("a test whose dispatchers always end is given up, and one that nobody claimed in time is not run", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver()
  await it.channel("acme", receiver.url)
  const [crashing, late] = [
    await requestCheck(it.sql, { channel: "acme" }),
    await requestCheck(it.sql, { channel: "acme" }),
  ]
  await it.sql(
    "update receiver_check set state = 'running', claims = 3, lease_expires_at = now() where id = $1",
    [crashing],
  )
  await it.sql("update receiver_check set created_at = now() - interval '31 seconds' where id = $1", [late])
  await it.dispatcher()
  for (const [id, error] of [
    [crashing, "3 times"],
    [late, "in time"],
  ] as const)
    expect(await waitForCheck(it.sql, id)).toMatchObject({
      state: "failed",
      error: expect.stringContaining(error),
    })
  expect(receiver.received).toEqual([])
  await receiver.close()
})

test("a test is one attempt that is signed by the active secret, or by the other one only, and is not stored as a delivery", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver((_, response) => response.writeHead(503).end("not today"))
  await it.channel("acme", receiver.url)
  await it.stage("acme", "the staged secret")
  await it.pause("acme")
  const dispatcher = await it.dispatcher()
  for (const kind of ["test", "secret_test"])
    expect(await waitForCheck(it.sql, await requestCheck(it.sql, { channel: "acme", kind }))).toMatchObject({
      state: "done",
      report: { attempt: { number: 1, status: 503, error: "status", response_excerpt: "not today" } },
    })
  const signedBy = receiver.received.map((request) =>
    [secret, "the staged secret"].map((one) => isSigned(request, [one])),
  )
  expect(signedBy).toEqual([
    [true, false],
    [false, true],
  ])
  expect(await it.sql("select 1 from delivery")).toEqual([])
  for (const revealed of [secret, "the staged secret"]) expect(dispatcher.output()).not.toContain(revealed)
  await receiver.close()
})

test("the address of a channel that is not created yet is tested with a secret that nobody knows", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver((_, response) => response.writeHead(204).end())
  await it.channel("acme", receiver.url)
  await it.dispatcher()
  const id = await requestCheck(it.sql, { channel: null, address: receiver.url })
  expect(await waitForCheck(it.sql, id)).toMatchObject({
    state: "done",
    report: { attempt: { status: 204 } },
  })
  expect(receiver.received.map((request) => isSigned(request, [secret]))).toEqual([false])
  expect(receiver.received[0]?.headers).toMatchObject({
    "x-sitewire-test": "true",
    "x-sitewire-signature": expect.stringMatching(/^sha256=/),
  })
  await receiver.close()
})

test("a check whose secret cannot be decrypted fails, says why, and sends nothing", async () => {
  await using it = await startInstallation()
  const receiver = await startReceiver()
  await it.channel("acme", receiver.url)
  await it.dispatcher({ SEALING_KEYS: `other:${randomBytes(32).toString("base64")}` })
  const row = await waitForCheck(it.sql, await requestCheck(it.sql, { channel: "acme" }))
  expect(row).toMatchObject({ state: "failed", error: expect.stringContaining("SEALING_KEYS") })
  expect(receiver.received).toEqual([])
  await receiver.close()
})
