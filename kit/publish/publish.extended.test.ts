import { randomBytes } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { recordReader, sitePaidSchema } from "@sitewire/contracts"
import { connectKafka, ensureTopics, readTopic, topicEnd } from "@sitewire/kafka"
import { kafkaBrokers, silentLog } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { runTestScript } from "../test/runScript.ts"

type Vector = {
  name: string
  event: { id: string }
  headers?: Record<string, string>
  field: string | null
}

const languages = ["node", "python", "go", "java"]
/** Installations and builds of a language take minutes on a busy machine. */
const limitMs = 900_000

const vectors: Vector[] = JSON.parse(
  readFileSync(new URL("../vectors/site-paid.json", import.meta.url), "utf8"),
)
const valid = vectors.filter(({ field }) => field === null)
const kafka = connectKafka({ brokers: kafkaBrokers(), clientId: "publish-tests", log: silentLog })
/** The partitions of an event id, over all languages. */
const partitions = new Map<string, Set<number>>()

for (const language of languages) {
  test(`the publisher in ${language} refuses every mistake, and stores every valid event as Sitewire reads it`, {
    timeout: limitMs,
  }, async (context) => {
    const prefix = `test-${randomBytes(5).toString("hex")}.`
    // As the publisher compressed them. `readTopic` can only read what Sitewire can read.
    const config = { "compression.type": "producer" }
    await ensureTopics({ kafka, topics: [{ name: `${prefix}site.paid`, partitions: 6, config }] })
    await runTestScript(join(import.meta.dirname, language), context, { TOPIC_PREFIX: prefix })

    const records = await readAll(prefix)
    const read = recordReader(sitePaidSchema)
    for (const { key, value } of records) expect(read(value)).toMatchObject({ ok: true, value: { id: key } })
    for (const { event, headers = {}, name } of valid) {
      const [record, ...more] = records.filter(({ key }) => key === event.id)
      expect(more, name).toEqual([])
      const { price: _, ...fields } = { price: 0, ...event }
      expect(JSON.parse(String(record?.value)), name).toEqual(fields)
      expect(record?.headers, name).toEqual(headers)
    }
    const others = records
      .map(({ key }) => String(key))
      .filter((key) => !valid.some(({ event }) => event.id === key))
    const cut = others.filter((key) => key.startsWith("cut-"))
    // The test in Node cuts the connection of four events, and publishes one to a broker that cannot be reached at first.
    expect([cut.length, new Set(cut).size]).toEqual(language === "node" ? [4, 4] : [0, 0])
    expect(others.filter((key) => !cut.includes(key)).sort()).toEqual(
      language === "node" ? ["order-10042", "unreachable-at-first"] : ["order-10042"],
    )
  })
}

test("every language chooses the same partition for the same event", () => {
  expect(partitions.size).toBeGreaterThanOrEqual(valid.length)
  for (const [id, chosen] of partitions) expect([...chosen], id).toHaveLength(1)
})

async function readAll(prefix: string) {
  const topic = `${prefix}site.paid`
  const to = await topicEnd({ kafka, topic })
  const limits = { maxRecords: 1_000, maxBytes: 64 * 1024 * 1024 }
  const { records, ended } = await readTopic({ kafka, topic, from: {}, to, ...limits })
  expect(ended).toBe(true)
  for (const { key, partition } of records) {
    const id = String(key)
    partitions.set(id, (partitions.get(id) ?? new Set()).add(partition))
  }
  return records
}
