import { sealContexts, unseal } from "@sitewire/database"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sealingKeys, startConsole, type TestConsole } from "../../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const post = (path: string) => console.call("POST", `/v1/channels/${path}`)

async function channel(id: string) {
  const body = { id, address: "https://partner.example/" }
  const { json } = await console.call("POST", "/v1/channels", { body })
  return { secretId: String(json.secret_id), secret: String(json.signing_secret) }
}

/** A channel's two secrets, unsealed like the dispatcher does. */
async function secretsOf(id: string) {
  const row = await console.prisma.channel.findUniqueOrThrow({ where: { id } })
  const open = (secretId: string | null, sealed: Uint8Array | null) =>
    secretId && sealed ? unseal(sealingKeys, sealContexts.signingSecret(id, secretId), sealed) : null
  return {
    active: open(row.secretId, row.secretSealed),
    other: open(row.otherSecretId, row.otherSecretSealed),
  }
}

test("a rotation: the new secret is staged and shown once, then activated, and the old one is retired", async () => {
  const { secretId, secret } = await channel("rotates")
  const staged = await post("rotates/secret/stage")
  expect(staged.status).toBe(200)
  const newSecret = String(staged.json.staged_secret)
  expect(newSecret).toMatch(/^sws_[\w-]{43}$/)
  const other = staged.json.other_secret as { id: string }
  expect(staged.json).toMatchObject({ secret_id: secretId, other_secret: { state: "staged" } })
  expect(await secretsOf("rotates")).toEqual({ active: secret, other: newSecret })

  const activated = await post("rotates/secret/activate")
  expect(activated.status).toBe(200)
  expect(activated.json).toMatchObject({
    secret_id: other.id,
    other_secret: { id: secretId, state: "retiring" },
  })
  expect(await secretsOf("rotates")).toEqual({ active: newSecret, other: secret })
  const read = await console.call("GET", "/v1/channels/rotates")
  expect(read.json).toEqual(activated.json)

  const retired = await post("rotates/secret/retire")
  expect(retired.status).toBe(200)
  expect(retired.json).toMatchObject({ secret_id: other.id, other_secret: null })
  expect(await secretsOf("rotates")).toEqual({ active: newSecret, other: null })
  for (const text of [activated.text, read.text, retired.text, ...console.log]) {
    for (const one of [secret, newSecret]) expect(text).not.toContain(one)
  }
})

test("a rotation can be abandoned: the staged secret is deleted and the active one stays", async () => {
  const { secretId, secret } = await channel("abandoned")
  await post("abandoned/secret/stage")
  expect((await post("abandoned/secret/retire")).json).toMatchObject({
    secret_id: secretId,
    other_secret: null,
  })
  expect(await secretsOf("abandoned")).toEqual({ active: secret, other: null })
})

test("a step that is not possible now is rejected with advice, and changes nothing", async () => {
  await channel("conflicts")
  const rejected = async (step: string, ...advice: string[]) => {
    const before = await secretsOf("conflicts")
    const { status, json } = await post(`conflicts/secret/${step}`)
    expect(status).toBe(409)
    for (const text of advice) expect(json.detail).toContain(text)
    expect(await secretsOf("conflicts")).toEqual(before)
  }
  await rejected("activate", "No secret is staged", "Stage one to begin")
  await rejected("retire", "no secret beside the active one", "Stage one to begin")
  await post("conflicts/secret/stage")
  await rejected("stage", "a staged secret", "Activate it, or retire it")
  await post("conflicts/secret/activate")
  await rejected("stage", "a retiring secret", "Retire it once")
  await rejected("activate", "No secret is staged", "Retire it once")
  for (const step of ["stage", "activate", "retire"]) {
    expect((await post(`nobody/secret/${step}`)).status).toBe(404)
  }
})

test("a step with a secret_id affects no other secret", async () => {
  const { secretId } = await channel("named")
  const staged = (await post("named/secret/stage")).json.other_secret as { id: string }
  expect((await post(`named/secret/activate?secret_id=${secretId}`)).status).toBe(409)
  expect((await post(`named/secret/activate?secret_id=${staged.id}`)).status).toBe(200)
  // A request to delete the staged secret, after somebody else has activated it, must not delete the retiring
  // one.
  const late = await post(`named/secret/retire?secret_id=${staged.id}`)
  expect(late.status).toBe(409)
  expect(late.json.detail).toContain(`is "${secretId}" and not "${staged.id}"`)
  expect((await post(`named/secret/retire?secret_id=${secretId}`)).status).toBe(200)
  expect((await post("named/secret/retire?secret=typo")).status).toBe(400)
})

test.each([
  ["stage", []],
  ["activate", ["stage"]],
  ["retire", ["stage"]],
])("of concurrent requests to %s, one succeeds", async (step, before) => {
  const id = `at-once-${step}`
  await channel(id)
  for (const earlier of before) await post(`${id}/secret/${earlier}`)
  const responses = await Promise.all(Array.from({ length: 6 }, () => post(`${id}/secret/${step}`)))
  expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409, 409])
  const won = responses.find(({ status }) => status === 200)?.json
  if (step === "stage") expect((await secretsOf(id)).other).toBe(won?.staged_secret)
})

test("a channel is paused and resumed; repeating either changes nothing", async () => {
  await channel("pauses")
  expect((await console.call("GET", "/v1/channels/pauses")).json.paused_at).toBeNull()
  const paused = await post("pauses/pause")
  expect(paused.status).toBe(200)
  expect(Date.parse(String(paused.json.paused_at))).toBeGreaterThan(Date.now() - 60_000)
  expect((await post("pauses/pause")).json).toEqual(paused.json)
  const row = {
    id: "01900000-0000-7000-8000-000000000001",
    eventId: "e",
    channelId: "pauses",
    correlation: "c",
  }
  const bytes = { body: new Uint8Array(), bodySha256: new Uint8Array() }
  const deferral = {
    channelId: row.channelId,
    attempts: 0,
    deferredAt: new Date(),
    deferredReason: "paused",
  } as const
  const stored = await console.prisma.delivery.create({ data: { ...row, ...bytes } })
  const waiting = await console.prisma.waitingDelivery.create({ data: { deliveryId: row.id, ...deferral } })
  const resumed = await post("pauses/resume")
  expect(resumed.json.paused_at).toBeNull()
  const { pausedAt, resumedAt } = await console.prisma.channel.findUniqueOrThrow({ where: { id: "pauses" } })
  expect(pausedAt).toBeNull()
  expect(resumedAt?.getTime()).toBeGreaterThanOrEqual(Date.parse(String(paused.json.paused_at)))
  // Neither changes a delivery, because there may be millions.
  expect(await console.prisma.delivery.findMany({ where: { id: row.id } })).toEqual([stored])
  expect(await console.prisma.waitingDelivery.findMany({ where: { deliveryId: row.id } })).toEqual([waiting])
  expect((await post("pauses/resume")).json).toEqual(resumed.json)
  expect((await post("nobody/pause")).status).toBe(404)
  expect((await post("nobody/resume")).status).toBe(404)
})

test("Standard Webhooks headers are switched on and off, and the address stays", async () => {
  await channel("switched")
  const change = (body: object) => console.call("PATCH", "/v1/channels/switched", { body })
  for (const standard_webhooks of [true, false]) {
    const { status, json } = await change({ standard_webhooks })
    expect(status).toBe(200)
    expect(json).toMatchObject({ standard_webhooks, address: "https://partner.example/" })
  }
  expect((await change({})).status).toBe(400)
  expect((await change({ standard_webhooks: "yes" })).status).toBe(400)
})
