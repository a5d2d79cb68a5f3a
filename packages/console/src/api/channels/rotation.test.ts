import { sealContexts, unseal } from "@sitewire/database"
import { standardWebhooksSecret } from "@sitewire/signing/sender"
import { afterAll, beforeAll, expect, test } from "vitest"
import { sealingKeys, startConsole, type TestConsole } from "../../../test/fixtures/startConsole.ts"

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
    active: open(row.secret_id, row.secret_sealed),
    other: open(row.other_secret_id, row.other_secret_sealed),
  }
}

test("a rotation: the new secret is staged and shown once, then activated, and the old one is retired", async () => {
  const { secretId, secret } = await channel("rotates")
  const staged = await post("rotates/secret/stage")
  expect(staged.status).toBe(200)
  const newSecret = String(staged.json.staged_secret)
  expect(newSecret).toMatch(/^sws_[\w-]{49}$/)
  expect(staged.json.standard_webhooks_secret).toBe(standardWebhooksSecret(newSecret))
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

test("an activation can be undone, and that again, as long as both secrets exist", async () => {
  const { secretId, secret } = await channel("undone")
  const { staged_secret, other_secret } = (await post("undone/secret/stage")).json
  const newId = (other_secret as { id: string }).id
  expect((await post("undone/secret/revert")).status).toBe(409)
  await post("undone/secret/activate")
  const reverted = await post(`undone/secret/revert?secret_id=${secretId}`)
  expect(reverted).toMatchObject({
    status: 200,
    json: { secret_id: secretId, other_secret: { id: newId, state: "retiring" } },
  })
  expect(await secretsOf("undone")).toEqual({ active: secret, other: staged_secret })
  expect((await post(`undone/secret/revert?secret_id=${secretId}`)).status).toBe(409)
  expect((await post("undone/secret/revert")).json.secret_id).toBe(newId)
  await post("undone/secret/retire")
  expect(await post("undone/secret/revert")).toMatchObject({
    status: 409,
    json: { code: "rotation-conflict" },
  })
  expect(await secretsOf("undone")).toEqual({ active: staged_secret, other: null })
})

test("a staged secret is shown until it is activated, to those who may rotate, and the audit log shows to whom", async () => {
  await channel("shown")
  const show = (key = console.key) => console.call("GET", "/v1/channels/shown/secret/staged", { key })
  expect((await show()).status).toBe(409)
  const staged = await post("shown/secret/stage")
  expect((await show()).json).toEqual(staged.json)
  expect((await show(await console.keyWith("channel:shown"))).json).toEqual(staged.json)
  expect((await show(await console.keyWith("channel:other"))).status).toBe(404)
  expect((await show(await console.keyWith("read"))).status).toBe(403)
  await post("shown/secret/activate")
  expect((await show()).status).toBe(409)
  await post("shown/secret/revert")
  const last = await show()
  expect(last.status).toBe(409)
  expect(last.text).not.toContain(staged.json.staged_secret)
  const shown = await console.prisma.auditEntry.findMany({
    where: { target_id: "shown", operation: "readStagedSecret" },
  })
  expect(shown).toHaveLength(2)
})

test("a secret that the receiver rejected in its last test becomes active only by force", async () => {
  await channel("rejected")
  const read = async () =>
    (await console.call("GET", "/v1/channels/rejected")).json.other_secret as { id: string; test: unknown }
  const tested = async (status: number, { address = "https://partner.example/", secret_id = "" } = {}) => {
    const id = secret_id || (await read()).id
    const error = status < 300 ? null : "status"
    const other_secret_test = { at: new Date().toISOString(), address, secret_id: id, status, error }
    await console.prisma.channel.update({ where: { id: "rejected" }, data: { other_secret_test } })
  }
  const refused = async (step: string) =>
    expect(await post(`rejected/secret/${step}`)).toMatchObject({
      status: 409,
      json: { code: "secret-not-accepted", detail: expect.stringContaining("force=true") },
    })
  await post("rejected/secret/stage")
  expect((await read()).test).toBeNull()
  await tested(401)
  expect((await read()).test).toMatchObject({ status: 401, error: "status" })
  await refused("activate")
  expect((await post("rejected/secret/activate?force=true")).status).toBe(200)
  // Tests of the secret before it had its state, of another secret and at another address do not count.
  expect((await read()).test).toBeNull()
  await tested(401)
  await refused("revert")
  await tested(204)
  expect((await post("rejected/secret/revert")).status).toBe(200)
  await tested(401, { secret_id: "sec_another" })
  expect((await post("rejected/secret/revert")).status).toBe(200)
  await tested(401, { address: "https://elsewhere.example/" })
  expect((await post("rejected/secret/revert")).status).toBe(200)
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
  for (const step of ["stage", "activate", "revert", "retire"]) {
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
    event_id: "e",
    channel_id: "pauses",
    correlation: "c",
  }
  const bytes = { body: new Uint8Array(), body_sha256: new Uint8Array() }
  const deferral = {
    channel_id: row.channel_id,
    attempts: 0,
    deferred_at: new Date(),
    deferred_reason: "paused",
  } as const
  const stored = await console.prisma.delivery.create({ data: { ...row, ...bytes } })
  const waiting = await console.prisma.waitingDelivery.create({ data: { delivery_id: row.id, ...deferral } })
  const resumed = await post("pauses/resume")
  expect(resumed.json.paused_at).toBeNull()
  const { paused_at, resumed_at } = await console.prisma.channel.findUniqueOrThrow({
    where: { id: "pauses" },
  })
  expect(paused_at).toBeNull()
  expect(resumed_at?.getTime()).toBeGreaterThanOrEqual(Date.parse(String(paused.json.paused_at)))
  // Neither changes a delivery, because there may be millions.
  expect(await console.prisma.delivery.findMany({ where: { id: row.id } })).toEqual([stored])
  expect(await console.prisma.waitingDelivery.findMany({ where: { delivery_id: row.id } })).toEqual([waiting])
  expect((await post("pauses/resume")).json).toEqual(resumed.json)
  expect((await post("nobody/pause")).status).toBe(404)
  expect((await post("nobody/resume")).status).toBe(404)
})

test("Standard Webhooks headers are on by default, and can be off from the beginning", async () => {
  const create = (body: object) =>
    console.call("POST", "/v1/channels", { body: { address: "https://partner.example/", ...body } })
  const made = await create({})
  const { signing_secret, standard_webhooks_secret } = made.json
  expect(made.json.standard_webhooks).toBe(true)
  expect(standard_webhooks_secret).toBe(standardWebhooksSecret(String(signing_secret)))
  expect((await create({ standard_webhooks: false })).json.standard_webhooks).toBe(false)
})

test("a channel's key switches Standard Webhooks headers, and changes nothing that operators decide", async () => {
  await channel("own")
  await channel("foreign")
  const key = await console.keyWith("channel:own")
  const change = (id: string, body: object) => console.call("PATCH", `/v1/channels/${id}`, { key, body })
  const switched = await change("own", { standard_webhooks: false })
  expect(switched).toMatchObject({ status: 200, json: { standard_webhooks: false } })
  expect((await change("foreign", { standard_webhooks: false })).status).toBe(404)
  for (const body of [
    { address: "https://attacker.example/" },
    { max_per_second: 1_000 },
    { send_traceparent: true },
    { operator_notifications: true },
    { partner_may_change_address: true },
    { standard_webhooks: true, address: "https://attacker.example/" },
  ]) {
    const rejected = await change("own", body)
    expect(rejected, JSON.stringify(body)).toMatchObject({ status: 403, json: { code: "missing-scope" } })
  }
  expect((await console.call("GET", "/v1/channels/own")).json).toEqual(switched.json)
})

test("Standard Webhooks headers are switched off and on, and the address stays", async () => {
  await channel("switched")
  const change = (body: object) => console.call("PATCH", "/v1/channels/switched", { body })
  for (const standard_webhooks of [false, true]) {
    const { status, json } = await change({ standard_webhooks })
    expect(status).toBe(200)
    expect(json).toMatchObject({ standard_webhooks, address: "https://partner.example/" })
  }
  expect((await change({})).status).toBe(400)
  expect((await change({ standard_webhooks: "yes" })).status).toBe(400)
})
