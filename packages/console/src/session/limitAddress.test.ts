import { newApiKey } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import { expect, onTestFinished, test } from "vitest"
import { openBrowser } from "../../test/fixtures/browser.ts"
import { severableProxy } from "../../test/fixtures/severableProxy.ts"
import { startConsole } from "../../test/fixtures/startConsole.ts"

const limited = { status: 429, json: { code: "too-many-sign-ins" }, cookies: [] }

async function start(trustedProxies: string[]) {
  const console = await startConsole({ trustedProxies })
  onTestFinished(() => console.close())
  const signIn = (address: string, key = "swk_wrong") =>
    openBrowser(console.origin).open("POST", "/session", {
      body: { key },
      headers: { "x-forwarded-for": address },
    })
  return { console, signIn }
}

test("a valid key signs in, however many sign-ins of its own address and of others have failed", async () => {
  const { console, signIn } = await start(["127.0.0.0/8"])
  const addresses = Array.from({ length: 11 }, (_, at) => `192.0.2.${at}`)
  for (const address of addresses) {
    const pages = await Promise.all(Array.from({ length: 12 }, () => signIn(address)))
    expect(pages.map(({ status }) => status).toSorted()).toEqual([...Array(10).fill(401), 429, 429])
  }
  const waiting = await signIn("192.0.2.1")
  expect(waiting).toMatchObject(limited)
  expect(Number(waiting.headers.get("retry-after"))).toBeGreaterThan(500)
  for (const address of ["192.0.2.1", "192.0.2.200"])
    expect((await signIn(address, console.key)).status).toBe(200)
  const metrics = await console.metrics.metrics()
  expect(metrics).toMatch(/sign_ins_total\{method="key",outcome="rejected",.*\} 110/)
  expect(metrics).toMatch(/sign_ins_total\{method="key",outcome="limited",.*\} 23/)
  expect(metrics).toMatch(/sign_ins_total\{method="key",outcome="accepted",.*\} 2/)
})

test("attempts while the database is unavailable do not count", async () => {
  const target = new URL(process.env.DATABASE_URL ?? "")
  const proxy = await severableProxy({ host: target.hostname, port: Number(target.port) })
  const console = await startConsole({
    databaseUrl: (text) => Object.assign(new URL(text), { host: `127.0.0.1:${proxy.port}` }).href,
  })
  const signIn = () => openBrowser(console.origin).signIn({ key: console.key })
  proxy.sever()
  for (let n = 0; n < 12; n++) expect((await signIn()).status).toBe(503)
  proxy.restore()
  await waitUntil("the database to be available", async () => (await signIn()).status === 200)
  await console.close()
  proxy.close()
})

test("parallel sign-ins with unknown keys are rejected, although they are more than the pool's connections", async () => {
  const { signIn } = await start(["127.0.0.0/8"])
  const keys = Array.from({ length: 6 }, newApiKey)
  const pages = await Promise.all(keys.map((key) => signIn("192.0.2.1", key)))
  expect(pages.map(({ status }) => status)).toEqual(keys.map(() => 401))
})

test("all addresses of an IPv6 /64 network count as one", async () => {
  const { signIn } = await start(["127.0.0.0/8"])
  for (let n = 0; n < 10; n++) await signIn(`2001:db8::${n}`)
  expect(await signIn("2001:db8::ffff")).toMatchObject(limited)
  expect((await signIn("2001:db8:0:1::1")).status).toBe(401)
})

test("X-Forwarded-For of a client that is no trusted proxy is ignored", async () => {
  const { signIn } = await start([])
  for (let n = 0; n < 10; n++) await signIn(`192.0.2.${n}`)
  expect(await signIn("192.0.2.200")).toMatchObject(limited)
})
