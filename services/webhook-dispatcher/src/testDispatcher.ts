import { randomBytes } from "node:crypto"
import { invalidRecordHeaders, type SitePaid } from "@sitewire/contracts"
import { openPool, readSealingKeys, type Sql, seal, sealContexts } from "@sitewire/database"
import { type Incoming, type Outgoing, startConsumer, startProducer } from "@sitewire/kafka"
import { freshDatabase, freshTopics, kafkaBrokers, startProcess } from "@sitewire/testkit"

export const secret = "a secret of the tests"

/** A database, topics and a publisher of a test's own, and real dispatchers on them. Ended with `await using`. */
export async function startInstallation({ retryDelaysMs = [300, 600] }: { retryDelaysMs?: number[] } = {}) {
  const [database, { kafka, names, prefix }] = await Promise.all([
    freshDatabase(),
    freshTopics({ retryDelaysMs }),
  ])
  const sealingKeys = `k1:${randomBytes(32).toString("base64")}`
  const pool = openPool({ url: database.url, size: 2, name: "test" })
  const producer = await startProducer({ kafka })
  const processes: Awaited<ReturnType<typeof startProcess>>[] = []
  const consumers: { close(deadlineMs: number): Promise<unknown> }[] = []

  const env = {
    DATABASE_URL: database.url,
    KAFKA_BROKERS: kafkaBrokers().join(","),
    TOPIC_PREFIX: prefix,
    SEALING_KEYS: sealingKeys,
    RETRY_DELAYS: retryDelaysMs.map((delay) => `${delay}ms`).join(","),
    RETRY_PERIOD: "1h",
    ALLOW_HTTP: "true",
    ALLOWED_RANGES: "127.0.0.0/8",
  }

  async function service(main: string, overrides: Record<string, string>) {
    const started = await startProcess(main, { ...env, ...overrides })
    processes.push(started)
    return started
  }

  return {
    databaseUrl: database.url,
    sql: pool.sql as Sql,
    names,
    service,
    dispatcher: (overrides: Record<string, string> = {}) =>
      service("services/webhook-dispatcher/src/main.ts", overrides),
    async channel(id: string, address: string): Promise<void> {
      const sealed = seal(readSealingKeys(sealingKeys), sealContexts.signingSecret(id, `sec_${id}`), secret)
      await pool.sql(
        "insert into channel (id, address, secret_id, secret_sealed, updated_at) values ($1, $2, $3, $4, now())",
        [id, address, `sec_${id}`, sealed],
      )
    },
    /** The second secret of a rotation, as the console stages it. */
    async stage(channel: string, staged: string): Promise<void> {
      const id = `sec_${channel}_staged`
      const sealed = seal(readSealingKeys(sealingKeys), sealContexts.signingSecret(channel, id), staged)
      await pool.sql(
        "update channel set other_secret_id = $2, other_secret_sealed = $3, other_secret_state = 'staged' where id = $1",
        [channel, id, sealed],
      )
    },
    publish: (records: Outgoing[]) => producer.publish(records),
    publishPaid: (events: SitePaid[]) =>
      producer.publish(
        events.map((event) => ({ topic: names.sitePaid, key: event.id, value: JSON.stringify(event) })),
      ),
    /** All that a topic holds and gets, as it comes. */
    async read(topic: string): Promise<Incoming[]> {
      const seen: Incoming[] = []
      const take = (records: Incoming[], done: (record: Incoming) => void) => {
        seen.push(...records)
        records.forEach(done)
      }
      const group = `${prefix}reader-${randomBytes(4).toString("hex")}`
      consumers.push(await startConsumer({ kafka, group, topics: [{ topic }], maxInHand: 10_000, take }))
      return seen
    },
    async [Symbol.asyncDispose]() {
      for (const started of processes) await started.end("SIGKILL")
      await Promise.all(consumers.map((consumer) => consumer.close(2_000)))
      await producer.close(2_000)
      await pool.close()
      await database.drop()
    },
  }
}

export function paid(id: string, overrides: Partial<SitePaid> = {}): SitePaid {
  return {
    id,
    channel: "acme",
    reference: "customer-17",
    site_url: `https://${id}.example`,
    console_url: `https://console.${id}.example`,
    name: "Ünïcode & Söhne 店",
    email: "owner@shop.example",
    created_at: "2030-01-02T03:04:05.678+02:00",
    ...overrides,
  }
}

export function refusal(record: Incoming | undefined): string | undefined {
  return record?.headers[invalidRecordHeaders.reason]
}
