import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { migrate, openPool } from "@sitewire/database"
import { freshTopics, kafkaBrokers, waitUntil } from "@sitewire/testkit"
import { type StartedBackingService, startPostgres } from "@sitewire/testkit/backing"
import { afterAll, beforeAll, expect, test } from "vitest"
import { call } from "./fixtures/call.ts"
import { addConnection } from "./fixtures/connections.ts"
import { killLeftGateways, startGateway } from "./fixtures/startGateway.ts"

let folder: string
let postgres: StartedBackingService

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gateway-standby-"))
  const env = { ...process.env, DATABASE_URL: undefined, BACKING_SERVICES: "local" }
  const started = await startPostgres({ directory: folder, env, durability: "scratch", progress: () => {} })
  if (started.kind === "given") throw new Error("the test needs a Postgres of its own")
  postgres = started
}, 60_000)

afterAll(async () => {
  killLeftGateways()
  await postgres?.stop()
  await rm(folder, { recursive: true, force: true })
}, 60_000)

test("a gateway rejects triggers while its Postgres is a standby, whose tokens may be outdated", {
  timeout: 60_000,
}, async () => {
  await migrate(postgres.address)
  const pool = openPool({ url: postgres.address, size: 1, name: "test" })
  const { path } = await addConnection(pool.sql, "demoted")
  const [{ data = "" } = {}] = await pool.sql<{ data: string }>(
    "select current_setting('data_directory') as data",
  )
  await pool.close()
  const gateway = await startGateway({
    DATABASE_URL: postgres.address,
    KAFKA_BROKERS: kafkaBrokers().join(),
    TOPIC_PREFIX: (await freshTopics()).prefix,
  })
  const trigger = async () => (await call(gateway.gateway + path)).status
  const readiness = async () => (await call(`${gateway.ops}/readyz`, { method: "GET" })).status
  expect(await trigger()).toBe(202)

  // What a failover does to the old primary, which can still be reached under its name for some time.
  await postgres.halt()
  await writeFile(join(data, "standby.signal"), "")
  await postgres.resume()
  await waitUntil("the gateway to be unready", async () => (await readiness()) === 503)
  for (let n = 0; n < 5; n++) expect(await trigger()).toBe(503)
  expect(await call(`${gateway.ops}/readyz`, { method: "GET" })).toMatchObject({
    text: expect.stringContaining("standby"),
  })

  await postgres.halt()
  await rm(join(data, "standby.signal"))
  await postgres.resume()
  await waitUntil("triggers to be accepted again", async () => (await trigger()) === 202)
  expect(await gateway.end("SIGTERM")).toBe(0)
})
