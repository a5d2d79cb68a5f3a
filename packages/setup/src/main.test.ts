import { newApiKey } from "@sitewire/contracts"
import { openPool } from "@sitewire/database"
import { createLogger } from "@sitewire/runtime"
import { freshDatabase, freshTopics, kafkaBrokers, startProcess } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { prepare } from "./prepare.ts"

test("fewer brokers than copies: the setup fails, and says what to set", async () => {
  const database = await freshDatabase()
  const setup = startProcess("packages/setup/src/main.ts", {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(","),
    TOPIC_PREFIX: "too-many-copies.",
    TOPIC_REPLICATION: "3",
  })
  await expect(setup).rejects.toThrow(/Set TOPIC_REPLICATION, which is 3, to the number of brokers at most/)
  await database.drop()
})

test("the first API key is stored as a hash, once, and a revoked key is not revived", async () => {
  const database = await freshDatabase()
  const { prefix } = await freshTopics()
  const pool = openPool({ url: database.url, size: 1, name: "setup-test" })
  const key = newApiKey()
  const lines: string[] = []
  const setup = () =>
    prepare({
      databaseUrl: database.url,
      firstApiKey: key,
      kafka: { brokers: kafkaBrokers() },
      topicPrefix: prefix,
      replication: 1,
      retryDelaysMs: [200, 400],
      retryPeriodMs: 3_600_000,
      deadlineMs: 60_000,
      log: createLogger({ service: "setup", level: "trace" }, { write: (line) => void lines.push(line) }),
    })
  await setup()
  const read = () => pool.sql("select scopes, revoked_at, api_key::text as row from api_key")
  const [stored] = await read()
  expect(stored).toMatchObject({ scopes: ["operate"], revoked_at: null })
  expect(lines.join("")).toContain("all topics exist")
  expect(stored?.row + lines.join("")).not.toContain(key)
  await pool.sql("update api_key set revoked_at = now()")
  await setup()
  expect(await read()).toMatchObject([{ revoked_at: expect.any(Date) }])
  await pool.close()
  await database.drop()
})
