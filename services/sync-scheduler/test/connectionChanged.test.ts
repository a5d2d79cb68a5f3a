import { type ConnectionChanged, connectionChangedSchema } from "@sitewire/contracts"
import { type ConsumerRecord, deleteTopics, ensureTopics } from "@sitewire/kafka"
import { addConnections } from "@sitewire/syncs/fixtures/windows"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startStack } from "./fixtures/scheduler.ts"
import { startSource } from "./fixtures/source.ts"

const ids = ["a", "b", "c"]

/** Connections whose content changes with each request. */
async function startChanging() {
  const stack = await startStack({ SYNC_WINDOW: "1s" })
  const source = await startSource((response, { path }, count) => {
    response.writeHead(200, { "content-type": "text/plain" }).end(`${path} ${count}`)
  })
  await addConnections(stack.sql, ids, (id) => source.url(`/${id}`))
  return {
    ...stack,
    /** Waits until all connections have a content that is newer than before. */
    async change(): Promise<void> {
      const before = await fencesOf(stack.sql)
      for (const id of ids) await stack.trigger(id)
      await waitUntil("a new content of each", async () => {
        const now = await fencesOf(stack.sql)
        return ids.every((id) => (now.get(id) ?? 0) > (before.get(id) ?? 0))
      })
    },
  }
}

async function fencesOf(sql: Awaited<ReturnType<typeof startStack>>["sql"]): Promise<Map<string, number>> {
  const rows = await sql<{ id: string; fence: string }>("select connection_id as id, fence from snapshot")
  return new Map(rows.map(({ id, fence }) => [id, Number(fence)]))
}

function valuesOf(records: ConsumerRecord[], connection: string): (ConnectionChanged | null)[] {
  return records
    .filter(({ key }) => key === connection)
    .map(({ value }) => value && connectionChangedSchema.parse(JSON.parse(String(value))))
}

test("each new content of a connection is published in order, and then the deletion of the connection", async () => {
  const it = await startChanging()
  await Promise.all([it.startScheduler(), it.startScheduler()])
  const records = await it.follow(it.names.connectionChanged)
  for (let round = 0; round < 3; round++) await it.change()
  const newest = await fencesOf(it.sql)
  await waitUntil("the newest contents", () =>
    ids.every((id) => valuesOf(records, id).at(-1)?.fence === newest.get(id)),
  )
  for (const id of ids) {
    const fences = valuesOf(records, id).map((value) => value?.fence ?? 0)
    expect(fences).toEqual(fences.toSorted((one, other) => one - other))
  }
  const [row] = await it.sql<{ hash: string; bytes: string; stored_at: Date }>(
    "select encode(content_sha256, 'hex') as hash, bytes, stored_at from snapshot where connection_id = 'a'",
  )
  expect(valuesOf(records, "a").at(-1)).toEqual({
    connection: "a",
    site: "shop.example",
    fence: newest.get("a"),
    content_sha256: row?.hash,
    bytes: Number(row?.bytes),
    content_type: "text/plain",
    stored_at: row?.stored_at.toISOString(),
  })
  await it.sql("delete from connection where id = 'a'")
  await waitUntil("the tombstone", () => valuesOf(records, "a").at(-1) === null)
  await waitUntil(
    "no change to be left",
    async () => (await it.sql("select from unpublished_change")).length === 0,
  )
})

test("changes that were committed before a kill are published by another scheduler, and syncs do not wait for Kafka", async () => {
  const it = await startChanging()
  const topic = it.names.connectionChanged
  const first = await it.startScheduler()
  await deleteTopics(it.kafka, [topic])
  await it.change()
  await it.change()
  await first.kill("SIGKILL")
  const newest = await fencesOf(it.sql)
  const unpublished = (condition: string) =>
    it.sql(`select from unpublished_change where ${condition}`).then((rows) => rows.length)
  expect(await unpublished("claim_id is not null")).toBeGreaterThan(0)
  await it.sql("update unpublished_change set claim_id = gen_random_uuid(), lease_expires_at = null")

  await ensureTopics({ kafka: it.kafka, topics: [{ name: topic, partitions: 3, config: {} }] })
  const records = await it.follow(topic)
  await it.startScheduler()
  const isPublished = "claim_id is null and lease_expires_at > now()"
  await waitUntil("all to be published", async () => (await unpublished(isPublished)) === ids.length)
  await it.sql("update unpublished_change set lease_expires_at = null")
  await waitUntil("all to be published again", async () => (await unpublished("true")) === 0)
  await waitUntil("all records", () => records.length >= 2 * ids.length)
  for (const id of ids) {
    const fences = valuesOf(records, id).map((value) => value?.fence)
    expect(new Set(fences)).toEqual(new Set([newest.get(id)]))
  }
})
