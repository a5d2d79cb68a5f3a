import { createHash } from "node:crypto"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { Kafka } from "kafkajs"

const { KAFKA_BROKERS = "", TOPIC_PREFIX = "", SITEWIRE_API, SITEWIRE_API_KEY } = process.env
const { GROUP = "shop-contents", FOLDER = "contents" } = process.env

type Changed = { connection: string; fence: number; content_sha256: string }

const sha256 = (content: Buffer) => createHash("sha256").update(content).digest("hex")

/** Stores the content that a record names. Throws if that is not possible now: the record must be repeated. */
async function apply(id: string, changed: Changed | null, heartbeat: () => Promise<void>): Promise<void> {
  const file = `${FOLDER}/${encodeURIComponent(id)}`
  const stored = await readFile(file).catch(() => null)
  if (changed !== null && stored !== null && sha256(stored) === changed.content_sha256) return
  const content = changed === null ? "deleted" : await read(changed, heartbeat)
  if (content === "deleted") {
    await rm(file, { force: true })
  } else {
    await writeFile(`${file}.new`, content)
    await rename(`${file}.new`, file)
  }
  console.log(`${id}: ${content === "deleted" ? content : sha256(content)}`)
}

async function read(
  { connection, fence, content_sha256 }: Changed,
  heartbeat: () => Promise<void>,
): Promise<Buffer | "deleted"> {
  let query = `?fence=${fence}`
  for (;;) {
    await heartbeat()
    const url = `${SITEWIRE_API}/v1/connections/${encodeURIComponent(connection)}/snapshot${query}`
    const headers = { authorization: `Bearer ${SITEWIRE_API_KEY}` }
    const response = await fetch(url, { headers, signal: AbortSignal.timeout(20_000) })
    if (response.status === 200) {
      const content = Buffer.from(await response.arrayBuffer())
      if (query === "" || sha256(content) === content_sha256) return content
      query = ""
      continue
    }
    await response.body?.cancel()
    if (response.status === 404) return "deleted"
    if (response.status === 410) query = ""
    else if (response.status === 429 || response.status === 503)
      await sleep(1_000 * Math.min(5, Number(response.headers.get("retry-after") ?? 1)))
    else throw new Error(`${connection}: the response has the status ${response.status}`)
  }
}

await mkdir(FOLDER, { recursive: true })
const kafka = new Kafka({ clientId: GROUP, brokers: KAFKA_BROKERS.split(",") })
const consumer = kafka.consumer({ groupId: GROUP })
await consumer.connect()
await consumer.subscribe({ topic: `${TOPIC_PREFIX}connection.changed`, fromBeginning: true })
consumer.on(consumer.events.CRASH, ({ payload }) => {
  if (!payload.restart) process.exit(1)
})
await consumer.run({
  partitionsConsumedConcurrently: 8,
  eachBatchAutoResolve: false,
  eachBatch: async ({ batch, heartbeat, isRunning, resolveOffset }) => {
    const last = new Map(batch.messages.map(({ key, value }) => [String(key), value]))
    for (const [id, value] of last) {
      if (!isRunning()) return
      await heartbeat()
      const changed = value === null ? null : JSON.parse(String(value))
      // kafkajs would not repeat a TypeError, which fetch throws if the API cannot be reached.
      await apply(id, changed, heartbeat).catch((cause) => {
        throw new Error(`${id} cannot be stored now: ${cause}`, { cause })
      })
    }
    resolveOffset(batch.lastOffset())
  },
})
process.on("SIGTERM", () => void consumer.disconnect().then(() => process.exit()))
