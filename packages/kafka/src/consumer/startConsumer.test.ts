import { fork } from "node:child_process"
import { randomUUID } from "node:crypto"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { startTransaction } from "@sitewire/testkit"
import Broker from "kafkajs/src/broker/index.js"
import { expect, test, vi } from "vitest"
import { type OnRecords, useConsumers } from "../../test/fixtures/consumers.ts"
import { protocolError } from "../../test/fixtures/protocolError.ts"
import { committedOffsets, makeTopic, uniqueName, withAdmin } from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { ensureTopics } from "../admin/ensureTopics.ts"
import type { ConsumerRecord } from "../record.ts"
import type { Consumer } from "./startConsumer.ts"

const { kafka, publish, publishNumbered, consume } = useConsumers()

const offsetsOf = (records: ConsumerRecord[]) =>
  records.map(({ offset }) => Number(offset)).toSorted((a, b) => a - b)
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

/** Several times the commit interval of 250 ms. What is not committed by then is not going to be. */
const severalCommits = () => new Promise((resolve) => setTimeout(resolve, 1_000))

test("after a kill -9, consuming continues exactly at the first record that was not done", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 100)
  const script = new URL("../../test/fixtures/consumeUntilKilled.ts", import.meta.url)
  const child = fork(script, [kafka.brokers.join(","), group, topic, "100", "40"], {
    stdio: "pipe",
    execArgv: [],
  })
  let printed = ""
  child.stderr?.on("data", (chunk) => {
    printed += chunk
  })
  const exited = once(child, "exit")
  await Promise.race([once(child, "message"), exited])
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "40")
  child.kill("SIGKILL")
  await exited
  expect(printed, "kafkajs prints no warnings").toBe("")

  const again: ConsumerRecord[] = []
  await consume(group, [{ topic }], (records, done) => {
    again.push(...records)
    for (const record of records) done(record)
  })
  await until(() => again.length >= 60)
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "100")
  expect(offsetsOf(again)).toEqual(range(40, 100))
})

test.each([
  ["LogAppendTime", "broker"],
  ["CreateTime", "publisher"],
])("the time of a record in a topic with %s is the %s's", async (type, timeFrom) => {
  const topic = await makeTopic(kafka, { config: { "message.timestamp.type": type } })
  await publishNumbered(topic, 1)
  const received: ConsumerRecord[] = []
  await consume(uniqueName("group"), [{ topic }], (records) => void received.push(...records))
  await until(() => received.length > 0)
  expect(received[0]?.timeFrom).toBe(timeFrom)
})

test("the committed offset is that of the first record that is not done", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 10)
  const received: ConsumerRecord[] = []
  let finish: (record: ConsumerRecord) => void = () => {}
  await consume(group, [{ topic }], (records, done) => {
    finish = done
    received.push(...records)
  })
  await until(() => received.length === 10)
  for (const record of received.toReversed()) if (record.offset !== "4") finish(record)
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "4")
  await severalCommits()
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: "4" })
  for (const record of received) finish(record)
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "10")
})

test("never more than maxOutstanding records are outstanding in a slow backlog of 20,000", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 4 }), uniqueName("group")]
  await publishNumbered(topic, 20_000)
  const seen = new Set<string>()
  const sizes: number[] = []
  let outstanding = 0
  let most = 0
  const consumer = await consume(
    group,
    [{ topic }],
    (records, done) => {
      sizes.push(records.length)
      outstanding += records.length
      most = Math.max(most, outstanding)
      for (const record of records) {
        seen.add(`${record.partition}/${record.offset}`)
        setTimeout(
          () => {
            outstanding--
            done(record)
          },
          1 + (Number(record.offset) % 10),
        )
      }
    },
    { maxOutstanding: 300 },
  )
  await until(() => seen.size === 20_000)
  await until(() => consumer.outstanding() === 0)
  expect(most).toBeLessThanOrEqual(300)
  expect(most).toBeGreaterThan(250)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(20_000)
  expect(await consumer.close(60_000)).toEqual({ drained: true })
})

test("a record that hangs blocks no other record of its partition or of another, only commits after it", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  await publishNumbered(topic, 200)
  const received: ConsumerRecord[] = []
  const consumer = await consume(
    group,
    [{ topic }],
    (records, done) => {
      received.push(...records)
      for (const record of records) if (record.partition === 1 || record.offset !== "0") done(record)
    },
    { maxOutstanding: 5 },
  )
  await until(() => received.length === 200)
  await publishNumbered(topic, 200)
  await until(() => received.length === 400)
  expect(consumer.outstanding()).toBe(1)
  const ends = received.filter(({ partition }) => partition === 1).length
  await until(async () => (await committedOffsets(kafka, group, topic))[1] === String(ends))
  expect((await committedOffsets(kafka, group, topic))[0]).toBe("-1")
  expect(await consumer.lag()).toContainEqual({ topic, partition: 1, lag: 0, oldestUnreadAt: null })
})

test("with a pause, records that come one by one are fetched together, and a large backlog without a pause", async () => {
  const [topic, pauseMs] = [await makeTopic(kafka), 400]
  const calls: { at: number; count: number }[] = []
  const received = () => calls.reduce((sum, { count }) => sum + count, 0)
  const onRecords: OnRecords = (records, done) => {
    calls.push({ at: performance.now(), count: records.length })
    for (const record of records) done(record)
  }
  await consume(uniqueName("group"), [{ topic }], onRecords, { pauseMs, fetchBytes: 40_000 })
  const startedAt = performance.now()
  for (let count = 1; count <= 20; count++) {
    await publish([{ topic, key: "one", value: "x" }])
    await sleep(50)
  }
  await until(() => received() === 20)
  // A call may be late, and a timer early by a millisecond.
  const lastAt = calls.at(-1)?.at ?? 0
  expect((calls.length - 1) * (pauseMs - 10)).toBeLessThanOrEqual(lastAt - startedAt)

  calls.length = 0
  // Each of the 20 batches is larger than a fetch, although it is compressed.
  const large = Array.from({ length: 1_000 }, () => ({ topic, key: "one", value: randomUUID() }))
  for (let count = 1; count <= 20; count++) await publish(large)
  await until(() => received() === 20_000)
  expect((calls.at(-1)?.at ?? 0) - (calls[0]?.at ?? 0)).toBeLessThan(15 * pauseMs)
})

test("lag is reported for each assigned partition, also without capacity to fetch", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  const unfinished: (() => void)[] = []
  const onRecords: OnRecords = (records, done) => {
    for (const record of records) unfinished.push(() => done(record))
  }
  const first = await consume(group, [{ topic }], onRecords, { maxOutstanding: 1 })
  expect((await first.lag()).map(({ lag }) => lag)).toEqual([0, 0])
  await publishNumbered(topic, 200)
  await until(() => unfinished.length === 1)
  await publishNumbered(topic, 3_000)
  const totalLag = async (consumer: Consumer) => (await consumer.lag()).reduce((sum, { lag }) => sum + lag, 0)
  expect(await totalLag(first)).toBe(3_200)
  const oldest = (await first.lag()).map(({ oldestUnreadAt }) => Date.now() - Number(oldestUnreadAt))
  for (const ageMs of oldest) expect(ageMs).toBeLessThan(60_000)
  const second = await consume(group, [{ topic }], onRecords, { maxOutstanding: 1 })
  await until(async () => (await first.lag()).length === 1 && (await second.lag()).length === 1)
  expect((await totalLag(first)) + (await totalLag(second))).toBe(3_200)
  await first.close(1_000)
  expect(await first.lag()).toEqual([])
})

test("a consumer without capacity stays in its group and lets another member join", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  await publishNumbered(topic, 50)
  const health: boolean[] = []
  const first = await consume(group, [{ topic }], () => {}, {
    maxOutstanding: 3,
    onHealth: (now) => health.push(now),
  })
  await until(() => first.outstanding() === 3)
  // Without heartbeats the group would remove the member.
  const heartbeat = vi.spyOn(Broker.prototype, "heartbeat")
  await until(() => heartbeat.mock.calls.length >= 3)
  heartbeat.mockRestore()
  const received: ConsumerRecord[] = []
  await consume(group, [{ topic }], (records) => received.push(...records))
  await until(() => received.length > 0)
  expect(health).toEqual([true])
})

test("a consumer without permission to fetch is unhealthy until it has the permission, however often it joins", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  const received: ConsumerRecord[] = []
  const health: boolean[] = []
  const onRecords: OnRecords = (records, done) => {
    received.push(...records)
    for (const record of records) done(record)
  }
  await consume(group, [{ topic }], onRecords, { onHealth: (now) => health.push(now) })
  const denied = protocolError("TOPIC_AUTHORIZATION_FAILED", false)
  const fetch = vi.spyOn(Broker.prototype, "fetch").mockRejectedValue(denied)
  await until(() => fetch.mock.calls.length >= 3)
  expect(health).toEqual([true, false])
  fetch.mockRestore()
  await publishNumbered(topic, 10)
  await until(() => received.length === 10)
  expect(health).toEqual([true, false, true])
})

test("a topic recreated while its records are outstanding is consumed from its beginning and committed", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 100)
  const received: ConsumerRecord[] = []
  let finish: (record: ConsumerRecord) => void = () => {}
  const consumer = await consume(group, [{ topic }], (records, done) => {
    finish = done
    received.push(...records)
  })
  await until(() => received.length === 100)
  await withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [topic] }))
  const recreate = () => ensureTopics({ kafka, topics: [{ name: topic, partitions: 1, config: {} }] })
  await until(() =>
    recreate().then(
      () => true,
      () => false,
    ),
  )
  await until(() =>
    publishNumbered(topic, 40).then(
      () => true,
      () => false,
    ),
  )
  await until(() => received.length >= 140)
  for (const record of received) finish(record)
  await until(() => consumer.outstanding() === 0)
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "40")
  expect(offsetsOf(received.slice(100))).toEqual(range(0, 40))
})

test("a record that is done after its partition was revoked commits nothing for the new owner", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  await publishNumbered(topic, 40)
  const byFirst: ConsumerRecord[] = []
  let finishFirst: (record: ConsumerRecord) => void = () => {}
  const first = await consume(group, [{ topic }], (records, done) => {
    finishFirst = done
    byFirst.push(...records)
  })
  await until(() => byFirst.length === 40)
  const revoked = [...byFirst]

  const bySecond: ConsumerRecord[] = []
  await consume(group, [{ topic }], (records) => bySecond.push(...records))
  await until(() => bySecond.length > 0 && byFirst.length > 40)
  const moved = bySecond[0]?.partition ?? -1
  expect(byFirst.slice(40).some(({ partition }) => partition === moved)).toBe(false)

  for (const record of revoked) finishFirst(record)
  await severalCommits()
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: "-1", 1: "-1" })
  // Their capacity is released all the same: outstanding are only the records that were dispatched again.
  expect(first.outstanding()).toBe(byFirst.length - 40)
})

test("a rebalance commits the records that are done, so that none is dispatched twice", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  await publishNumbered(topic, 2_000)
  const counts = new Map<string, number>()
  const onRecords: OnRecords = (records, done) => {
    for (const record of records) {
      const name = `${record.partition}/${record.offset}`
      counts.set(name, (counts.get(name) ?? 0) + 1)
      done(record)
    }
  }
  await consume(group, [{ topic }], onRecords)
  await until(() => counts.size === 2_000)
  // Published throughout, so that at each rebalance some records are done and not committed.
  let published = 2_000
  let moving = true
  const publishing = (async () => {
    while (moving) {
      await publishNumbered(topic, 20)
      published += 20
    }
  })()
  const second = await consume(group, [{ topic }], onRecords)
  await until(async () => (await second.lag()).length === 1)
  await second.close(2_000)
  moving = false
  await publishing
  await until(() => counts.size === published)
  expect(Math.max(...counts.values())).toBe(1)
})

test("close waits for outstanding records, commits them, and dispatches no more", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 500)
  const received: ConsumerRecord[] = []
  const consumer = await consume(
    group,
    [{ topic }],
    (records, done) => {
      received.push(...records)
      for (const record of records) setTimeout(() => done(record), 300)
    },
    { maxOutstanding: 10 },
  )
  await until(() => received.length >= 10)
  expect(await consumer.close(60_000)).toEqual({ drained: true })
  expect(received.length).toBeLessThanOrEqual(20)
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: String(received.length) })
})

test("close keeps its deadline if a record is never done, and reports that it did not drain", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 10)
  const consumer = await consume(group, [{ topic }], (records, done) => {
    for (const record of records) if (record.offset !== "3") done(record)
  })
  await until(() => consumer.outstanding() === 1)
  expect(await consumer.close(1_000)).toEqual({ drained: false })
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: "3" })
})

test("if onRecords throws, the consumer becomes unhealthy and restarts with the same records", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 5)
  const health: [boolean, string | undefined][] = []
  const received: ConsumerRecord[] = []
  let throws = true
  const consumer = await consume(
    group,
    [{ topic }],
    (records, done) => {
      if (throws) {
        throws = false
        throw new Error("not today")
      }
      received.push(...records)
      for (const record of records) done(record)
    },
    { onHealth: (now, why) => health.push([now, why]) },
  )
  await until(() => received.length === 5)
  expect(health.map(([now]) => now)).toEqual([true, false, true])
  expect(health[1]?.[1]).toMatch(/not today/)
  expect(consumer.outstanding()).toBe(0)
})

test("headers without a value and zstd batches from other clients are consumed", async () => {
  const config = { "compression.type": "producer" }
  const [topic, group] = [await makeTopic(kafka, { config }), uniqueName("group")]
  const other = fork(new URL("../../test/fixtures/publishAsOtherClient.ts", import.meta.url), [
    kafka.brokers.join(","),
    topic,
  ])
  expect(await once(other, "exit")).toEqual([0, null])
  const received: ConsumerRecord[] = []
  await consume(group, [{ topic }], (records) => void received.push(...records))
  await until(() => received.length === 3)
  expect(received.map(({ value }) => String(value))).toEqual(["null header", "zstd", "zstd, too"])
  expect(received[0]?.headers).toEqual({ correlation: "c-1" })
})

test("records of aborted transactions are not dispatched, and neither they nor the markers of transactions count as lag", async () => {
  const topic = await makeTopic(kafka)
  const values: string[] = []
  const consumer = await consume(uniqueName("group"), [{ topic }], (records, done) => {
    for (const record of records) {
      values.push(String(record.value))
      done(record)
    }
  })
  const lag = async () => (await consumer.lag()).map((each) => each.lag)
  await (await startTransaction(topic, ["committed", "committed"])).end("commit")
  await until(async () => values.length === 2 && (await lag())[0] === 0)
  await (await startTransaction(topic, ["aborted", "aborted"])).end("abort")
  const end = async () => (await withAdmin(kafka, (admin) => admin.fetchTopicOffsets(topic)))[0]?.high
  await until(async () => (await end()) === "6" && (await lag())[0] === 0)
  expect(values).toEqual(["committed", "committed"])
})

test("a topic that does not exist is a clear error at start", async () => {
  const starting = consume(uniqueName("group"), [{ topic: "nowhere" }], () => {}, { startDeadlineMs: 1_500 })
  await expect(starting).rejects.toThrow(/could not be joined .* within 1500 ms .*nowhere/s)
})
