import { freshDatabase, kafkaBrokers, startProcess } from "@sitewire/testkit"
import { expect, test } from "vitest"

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
}, 30_000)
