import { snippetLanguageSchema } from "@sitewire/contracts"
import { verify } from "@sitewire/signing/sender"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startConsole, type TestConsole } from "../../../../test/fixtures/startConsole.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())

const post = (path: string, options = {}) => console.call("POST", `/v1/channels/${path}`, options)
const get = (path: string) => console.call("GET", `/v1/channels/${path}`)

async function channel(id: string): Promise<string> {
  const { json } = await console.call("POST", "/v1/channels", {
    body: { id, address: "https://partner.example/hook" },
  })
  return String(json.signing_secret)
}

// The tests of the CLI run a dispatcher.
test("without a dispatcher, a test is 503 after 5 seconds, is never sent, and a repetition gets the same response", async () => {
  await channel("alone")
  const headers = { "idempotency-key": "one" }
  const startedAt = performance.now()
  const waiting = post("alone/test", { headers })
  await waitUntil("the test", async () => (await console.prisma.receiverCheck.count()) > 0)
  expect(await post("alone/test")).toMatchObject({ status: 409, json: { code: "check-running" } })
  const first = await waiting
  expect(performance.now() - startedAt).toBeGreaterThan(5_000)
  expect(first).toMatchObject({ status: 503, json: { code: "no-dispatcher" } })
  expect(first.json.detail).toContain("webhook-dispatcher")
  const rows = await console.prisma.receiverCheck.findMany({ where: { channel_id: "alone" } })
  expect(rows).toMatchObject([{ kind: "test", state: "failed", finished_at: expect.any(Date) }])
  const again = await post("alone/test", { headers })
  expect({ ...again.json, request_id: "" }).toEqual({ ...first.json, request_id: "" })
  expect(await console.prisma.receiverCheck.count()).toBe(1)
})

test("a certification waits, is listed and read, and a second one is a conflict until it has finished", async () => {
  await channel("certified")
  const created = await post("certified/certifications", {
    body: { language: "go", address: "https://test.example/x" },
  })
  expect(created).toMatchObject({
    status: 202,
    json: { state: "waiting", language: "go", address: "https://test.example/x", points: [], result: null },
  })
  const path = created.headers.get("location") ?? ""
  expect((await console.call("GET", path)).json).toEqual(created.json)
  const second = await post("certified/certifications")
  expect(second).toMatchObject({ status: 409, json: { code: "check-running" } })
  await console.pool.sql(
    "update receiver_check set state = 'failed', finished_at = now(), error = 'e' where id = $1",
    [created.json.id],
  )
  const third = await post("certified/certifications")
  expect(third).toMatchObject({ status: 202, json: { address: "https://partner.example/hook" } })
  const { points: _, ...summary } = (await console.call("GET", path)).json
  const listed = await get("certified/certifications?limit=1")
  expect((listed.json.data as object[]).length).toBe(1)
  const rest = await get(`certified/certifications?cursor=${listed.json.next_cursor}`)
  expect(rest.json).toEqual({ data: [summary], next_cursor: null })
  await channel("other")
  expect((await get(`other/certifications/${created.json.id}`)).status).toBe(404)
})

test("a receiver is certified 100 times in a day at most", async () => {
  await channel("busy")
  await console.pool.sql(
    `insert into receiver_check (id, channel_id, kind, address, requested_by, state, created_at, finished_at)
     select 'crt_' || n, 'busy', 'certification', 'https://partner.example/', 'k', 'done', now() - interval '23 hours', now()
       from generate_series(1, 100) n`,
  )
  const rejected = await post("busy/certifications")
  expect(rejected).toMatchObject({ status: 429, json: { code: "too-many-certifications" } })
  expect(Number(rejected.headers.get("retry-after"))).toBeGreaterThan(3_500)
  await console.pool.sql(
    "update receiver_check set created_at = now() - interval '25 hours' where id = 'crt_1'",
  )
  expect((await post("busy/certifications")).status).toBe(202)
})

test("a channel's key certifies receivers at its channel's own origin only, an operator's at any", async () => {
  await channel("aimed")
  const key = await console.keyWith("channel:aimed")
  for (const address of [
    "https://internal.example/",
    "https://partner.example:8443/hook",
    "https://partner.example.attacker.example/",
  ]) {
    const rejected = await post("aimed/certifications", { key, body: { address } })
    expect(rejected, address).toMatchObject({ status: 403, json: { code: "missing-scope" } })
  }
  expect(await console.prisma.receiverCheck.count({ where: { channel_id: "aimed" } })).toBe(0)
  const finish = () => console.pool.sql("update receiver_check set state = 'failed', finished_at = now()")
  for (const options of [
    { key },
    { key, body: { address: "https://partner.example/test?of=it" } },
    { body: { address: "https://elsewhere.example/" } },
  ]) {
    expect((await post("aimed/certifications", options)).status).toBe(202)
    await finish()
  }
})

test("a channel shows no certification of an address that it no longer has", async () => {
  await channel("moved")
  const certification = {
    id: "crt_1",
    address: "https://partner.example/hook",
    result: "passed",
    finished_at: "2026-03-01T12:00:00+00:00",
  }
  await console.prisma.channel.update({
    where: { id: "moved" },
    data: { last_certification: certification },
  })
  expect((await get("moved")).json.last_certification).toMatchObject({ id: "crt_1", result: "passed" })
  const body = { address: "https://partner.example/v2" }
  await console.call("PATCH", "/v1/channels/moved", { body })
  expect((await get("moved")).json.last_certification).toBeNull()
})

test.each([
  [{ language: "cobol" }, "language"],
  [{ address: "http://partner.example/" }, "address"],
  [{ address: "https://10.0.0.1/" }, "address"],
  [{ adress: "https://partner.example/" }, "adress"],
])("a certification of %o is rejected", async (body, field) => {
  await channel("invalid")
  const { status, text } = await post("invalid/certifications", { body })
  expect(status).toBe(400)
  expect(text).toContain(field)
})

test.each(snippetLanguageSchema.options)(
  "points that failed are explained, with code in %s",
  async (language) => {
    await channel(language)
    const { json } = await post(`${language}/certifications`, { body: { language } })
    const points = [
      { id: "genuine", result: "passed", finding: "f", received: [] },
      { id: "re-encoded-body", result: "failed", finding: "f", received: [] },
      { id: "previous-secret", result: "failed", finding: "f", received: [] },
      { id: "forged-signature", result: "failed", finding: "f", received: [] },
    ]
    await console.prisma.receiverCheck.update({
      where: { id: String(json.id) },
      data: { state: "done", finished_at: new Date(), report: { result: "failed", points } },
    })
    const read = await get(`${language}/certifications/${json.id}`)
    expect(read.json).toMatchObject({
      result: "failed",
      points: [
        { id: "genuine", fix: null, snippet: null },
        { fix: expect.any(String), snippet: { language, code: expect.stringMatching(/Sitewire/i) } },
        { fix: expect.any(String), snippet: null },
        { snippet: { code: expect.stringMatching(/hmac/i) } },
      ],
    })
  },
)

test("of a retired secret, one signature of fictional data stays, and not the secret", async () => {
  const secret = await channel("rotated")
  await post("rotated/secret/stage")
  await post("rotated/secret/activate")
  await post("rotated/secret/retire")
  const kept = await console.prisma.retiredSecret.findUniqueOrThrow({ where: { channel_id: "rotated" } })
  const body = Buffer.from(kept.test_body)
  expect(verify({ body, header: kept.test_signature, secrets: [secret] }).valid).toBe(true)
  expect(JSON.parse(body.toString())).toMatchObject({ reference: "sitewire-test" })
  const [row] = await console.pool.sql<{ text: string }>(
    "select retired_secret::text || channel::text as text from retired_secret join channel on channel.id = channel_id",
  )
  expect(row?.text).not.toContain(secret)
})

test("a secret whose sealing key is missing can be retired nevertheless", async () => {
  await channel("unopened")
  await post("unopened/secret/stage")
  await console.pool.sql("update channel set other_secret_sealed = '\\x01' where id = 'unopened'")
  expect((await post("unopened/secret/retire")).status).toBe(200)
  expect(await console.prisma.retiredSecret.count({ where: { channel_id: "unopened" } })).toBe(0)
})
