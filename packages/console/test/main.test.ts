import { spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { openPool } from "@sitewire/database"
import { openPrisma } from "@sitewire/database/prisma"
import { closedPort, freshDatabase, freshTopics, kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { createApiKey } from "../src/auth/apiKey.ts"
import { startSmtpServer } from "./fixtures/startSmtpServer.ts"

const main = fileURLToPath(new URL("../src/main.ts", import.meta.url))

function start(env: Record<string, string>) {
  const child = spawn(process.execPath, [main], {
    env: { PATH: process.env.PATH, OPS_PORT: "0", CONSOLE_PORT: "0", ...env },
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  })
  const addresses: Record<string, string> = {}
  const seen = { output: "", ready: false }
  child.stdout?.on("data", (chunk) => {
    seen.output += chunk
  })
  child.stderr?.on("data", (chunk) => {
    seen.output += chunk
  })
  child.on("message", (message: { addresses?: Record<string, string>; ready?: boolean }) => {
    Object.assign(addresses, message.addresses)
    if (message.ready) seen.ready = true
  })
  return { child, addresses, seen }
}

/** The readiness checks of the process. */
async function readiness({ ops }: Record<string, string>) {
  const { checks } = (await (await fetch(`${ops}/readyz`)).json()) as {
    checks: Record<string, { ready: boolean; why?: string }>
  }
  return checks
}

test("the process serves requests, sends e-mails, logs no secret and no address, and exits with 0 on SIGTERM", async () => {
  const [database, topics] = await Promise.all([freshDatabase(), freshTopics()])
  const pool = openPool({ url: database.url, size: 1, name: "console-main-test" })
  const { key } = await createApiKey({ prisma: openPrisma(pool), name: "test", scopes: ["operate"] })
  const sealingKey = Buffer.alloc(32, 9).toString("base64")
  await pool.sql(
    "insert into incident (id, kind, subject_id, details, since, created_at) values ('n', 'delivery.dead', 'old', '{}', now(), now() - interval '2 minutes')",
  )
  const logins: unknown[] = []
  const smtp = await startSmtpServer({
    onAuth({ username, password }, _, done) {
      logins.push([username, password])
      done(null, { user: username })
    },
  })
  const { child, addresses, seen } = start({
    LOG_LEVEL: "trace",
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(","),
    TOPIC_PREFIX: topics.prefix,
    SEALING_KEYS: `one:${sealingKey}`,
    GATEWAY_ORIGIN: "http://127.0.0.1:8080/",
    ALLOW_HTTP: "true",
    ALLOWED_RANGES: "127.0.0.1/32",
    PARTNER_ALLOWED_RANGES: "127.0.0.2/32",
    DENIED_RANGES: "127.0.0.9/32",
    ALLOWED_PORTS: "9000",
    SMTP_URL: `smtp://mail-user:password-of-mails-%40@127.0.0.1:${smtp.port}`,
    SMTP_FROM: "webhooks@sitewire.example",
    OPERATOR_EMAILS: "on-call@ops.example",
  })
  try {
    await waitUntil("the process to be ready", () => seen.ready)
    await waitUntil("Kafka to be connected", async () => (await readiness(addresses)).kafka?.ready === true)
    const call = async (method: string, path: string, body?: object, expected = [200, 201]) => {
      const response = await fetch(`${addresses.console}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      expect(response.status, `${method} ${path}`).toBeOneOf(expected)
      return (await response.json()) as Record<string, unknown>
    }
    const channel = await call("POST", "/v1/channels", { id: "acme", address: "http://127.0.0.1:9000/hook" })
    const connection = { id: "feed", site: "shop.example", source: "http://127.0.0.2:9000/items" }
    const made = await call("POST", "/v1/connections", connection)
    // Owners of sites choose sources, so ALLOWED_RANGES does not apply to them.
    await call("POST", "/v1/connections", { ...connection, source: "http://127.0.0.1:9000/items" }, [400])
    await call("PATCH", "/v1/connections/feed", { source: "http://127.0.0.1:9000/items" }, [400])
    expect(made.trigger_url).toMatch(/^http:\/\/127\.0\.0\.1:8080\/connectors\/hook\/feed\/swt_/)
    const replaced = await call("POST", "/v1/connections/feed/token")
    await call("GET", "/v1/connections/feed/trigger-url")
    await call("GET", "/v1/channels")
    await waitUntil("an e-mail", () => smtp.mails.length > 0)
    expect(smtp.mails[0]?.to).toEqual(["on-call@ops.example"])
    expect(logins).toEqual([["mail-user", "password-of-mails-@"]])

    child.kill("SIGTERM")
    const [code] = await once(child, "close")
    expect(code, seen.output).toBe(0)
    const tokens = [made.trigger_url, replaced.trigger_url].map((url) => String(url).split("/").at(-2))
    for (const secret of [key, sealingKey, channel.signing_secret, ...tokens]) {
      expect(String(secret).length).toBeGreaterThan(20)
      expect(seen.output).not.toContain(secret)
    }
    expect(seen.output).not.toMatch(/password-of-mails|@ops|@sitewire/)
    expect(seen.output).toContain('"route":"/v1/connections/{id}/token"')
  } finally {
    child.kill("SIGKILL")
    await smtp.close()
    await pool.close()
  }
  await database.drop()
})

test("the process is ready while Kafka is unavailable: only replays and the list of invalid events need Kafka", async () => {
  const database = await freshDatabase()
  const { child, addresses, seen } = start({
    DATABASE_URL: database.url,
    KAFKA_BROKERS: `127.0.0.1:${await closedPort()}`,
    SEALING_KEYS: `one:${Buffer.alloc(32, 9).toString("base64")}`,
  })
  try {
    await waitUntil("the process to be ready", () => seen.ready)
    await waitUntil("the process to notice", async () =>
      /refused/i.test((await readiness(addresses)).kafka?.why ?? ""),
    )
    expect((await fetch(`${addresses.ops}/readyz`)).status).toBe(200)
    expect((await readiness(addresses)).kafka?.ready).toBe(false)
  } finally {
    child.kill("SIGTERM")
    await once(child, "close")
  }
  await database.drop()
})

test("a wrong configuration stops the process, which names every wrong variable and shows no value", async () => {
  const { child, seen } = start({
    DATABASE_URL: "mysql://u:hidden@h/d",
    KAFKA_BROKERS: "nowhere",
    SEALING_KEYS: "one:c2hvcnQ=",
    GATEWAY_ORIGIN: "http://127.0.0.1:8080/path",
    ALLOW_HTTP: "perhaps",
    ALLOWED_RANGES: "127.0.0.1",
    CONSOLE_PORT: "99999",
  })
  const [code] = await once(child, "close")
  expect(code).toBe(1)
  for (const name of [
    "DATABASE_URL",
    "KAFKA_BROKERS",
    "SEALING_KEYS",
    "GATEWAY_ORIGIN",
    "ALLOW_HTTP",
    "ALLOWED_RANGES",
    "CONSOLE_PORT",
  ]) {
    expect(seen.output).toContain(name)
  }
  expect(seen.output).not.toMatch(/hidden|c2hvcnQ/)
})
