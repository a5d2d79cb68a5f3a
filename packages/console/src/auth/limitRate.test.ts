import { setImmediate as nextTurn } from "node:timers/promises"
import { createLogger } from "@sitewire/runtime"
import { waitUntil } from "@sitewire/testkit"
import type { Response } from "express"
import { expect, onTestFinished, test } from "vitest"
import { openBrowser } from "../../test/fixtures/browser.ts"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { limitRate, type RateSettings, slowDownRejected } from "./limitRate.ts"

const log = createLogger({ service: "test", level: "fatal" })

async function start(rate: Partial<RateSettings>): Promise<TestConsole> {
  const console = await startConsole({ rate })
  onTestFinished(() => console.close())
  await console.call("POST", "/v1/channels", { body: { id: "acme", address: "https://partner.example/" } })
  return console
}

/** While `work` runs, each query that looks for a key or a session waits. */
async function withoutKeys<T>({ pool }: TestConsole, work: () => Promise<T>): Promise<T> {
  const locking = await pool.driver.connect()
  try {
    await locking.query("begin")
    await locking.query("lock table api_key, session in access exclusive mode")
    return await work()
  } finally {
    await locking.query("rollback")
    locking.release()
  }
}

test("a partner's key over its limit is rejected before Postgres is asked, and others are served", async () => {
  const console = await start({ partnerRequestsPerMinute: 3, reportEveryMs: 10 })
  const read = (key: string) => console.call("GET", "/v1/channels/acme", { key })
  const key = await console.keyWith("channel:acme")
  for (const _ of [1, 2, 3]) expect((await read(key)).status).toBe(200)
  const rejected = await withoutKeys(console, () => Promise.all(Array.from({ length: 30 }, () => read(key))))
  for (const one of rejected) {
    expect(one).toMatchObject({ status: 429, json: { code: "too-many-requests" } })
    expect(Number(one.headers.get("retry-after"))).toBeGreaterThan(0)
  }
  expect((await read(await console.keyWith("channel:acme"))).status).toBe(200)
  // An operator's limit is another one.
  for (const _ of [1, 2, 3, 4]) expect((await read(console.key)).status).toBe(200)
})

test("rejected requests are counted in metrics and logged together, and not one by one", async () => {
  const console = await start({ partnerRequestsPerMinute: 1, reportEveryMs: 10 })
  const key = await console.keyWith("channel:acme", "site:shop.example")
  const { json } = await console.call("GET", "/v1/keys/current", { key })
  await Promise.all(Array.from({ length: 30 }, () => console.call("GET", "/v1/channels/acme", { key })))
  const lines = () => console.log.map((line) => JSON.parse(line))
  const reported = () =>
    lines()
      .filter(({ requests, apiKey }) => requests > 0 && apiKey === json.id)
      .reduce((sum, { requests }) => sum + requests, 0)
  await waitUntil("the report", async () => reported() === 30)
  expect(lines().filter(({ status }) => status === 429)).toEqual([])
  expect(await console.metrics.metrics()).toMatch(
    /requests_total\{method="GET",route="\/v1\/channels\/\{id\}",status="429",.*\} 30/,
  )
})

test("a key that is revoked while a request waits for its turn is rejected", async () => {
  // 10 at once, and the next one after three seconds.
  const { takeTurn } = limitRate({ requestsPerMinute: 20, partnerRequestsPerMinute: 20 }, log)
  let revoked = false
  const send = (secret: string) =>
    takeTurn({ req: {} } as Response, secret, async () => (revoked ? null : { id: secret, scopes: [] }))
  const sendEleven = (secret: string) => Promise.all(Array.from({ length: 11 }, () => send(secret)))
  const remembered = send("remembered")
  await remembered
  const all = [
    sendEleven("unknown"),
    Promise.all([remembered, ...Array.from({ length: 10 }, () => send("remembered"))]),
  ]
  await nextTurn()
  revoked = true
  for (const found of await Promise.all(all)) {
    expect(found.pop()).toBeNull()
    expect(found.map((sender) => sender && "scopes" in sender)).toEqual(Array(10).fill(true))
  }
})

test("sessions share the limit of their key, and are rejected before Postgres is asked", async () => {
  const console = await start({ partnerRequestsPerMinute: 5 })
  const key = await console.keyWith("channel:acme")
  const browsers = [openBrowser(console.origin), openBrowser(console.origin)] as const
  for (const browser of browsers) {
    expect((await browser.signIn({ key })).status).toBe(200)
    expect((await browser.open("GET", "/session")).status).toBe(200)
  }
  expect((await browsers[0].open("GET", "/v1/channels/acme")).status).toBe(200)
  const requests = browsers.flatMap((browser) => [
    () => browser.open("GET", "/v1/channels/acme"),
    () => browser.open("GET", "/session"),
    () => browser.open("DELETE", "/session"),
    () => browser.signIn({ key }),
  ])
  const pages = await withoutKeys(console, () => Promise.all(requests.map((send) => send())))
  expect(pages.map(({ status }) => status)).toEqual(Array(8).fill(429))
})

test("secrets that nobody has are looked up one at a time, however many there are, and lock out no valid one", async () => {
  const rate = { requestsPerMinute: 60, partnerRequestsPerMinute: 60, rejectAfterMs: 0 }
  const { takeTurn } = limitRate(rate, log)
  let running = 0
  let most = 0
  const send = <Found extends { id: string; scopes: string[] } | null>(
    ip: string,
    secret: string,
    found: Found,
  ) =>
    takeTurn({ req: { ip } } as Response, secret, async () => {
      most = Math.max(most, ++running)
      await nextTurn()
      running--
      return found
    })
  let answered = 0
  const unknown = Array.from({ length: 1_000 }, async (_, at) => {
    await send(`192.0.2.${at % 10}`, `unknown ${at}`, null)
    answered++
  })
  const sender = { id: "key", scopes: ["read"] }
  expect(await send("198.51.100.1", "valid", sender)).toBe(sender)
  expect(answered).toBeLessThan(100)
  await Promise.all(unknown)
  expect(most).toBe(1)
})

test("a thousand rejected requests wait for their responses; more get them at once, and their connections are closed", async () => {
  const slowDown = slowDownRejected(50)
  const settled: number[] = []
  const closed: number[] = []
  const wait = (at: number) => {
    const response = { setHeader: () => closed.push(at) } as unknown as Response
    return slowDown(response).then(() => settled.push(at))
  }
  await Promise.all(Array.from({ length: 1_002 }, (_, at) => wait(at)))
  expect(closed).toEqual([1_000, 1_001])
  expect(settled.slice(0, 2)).toEqual([1_000, 1_001])
  await wait(2_000)
  expect(closed).toHaveLength(2)
})
