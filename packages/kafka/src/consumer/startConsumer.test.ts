import { fork } from "node:child_process"
import { once } from "node:events"
import kafkajs from "kafkajs"
import Broker from "kafkajs/src/broker/index.js"
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test, vi } from "vitest"
import {
  committedOffsets,
  makeTopic,
  realBroker,
  uniqueName,
  withAdmin,
} from "../../test/fixtures/realBroker.ts"
import { until } from "../../test/fixtures/until.ts"
import { createBrokerClock } from "../delay/brokerClock.ts"
import { type Consumer, type ConsumerOptions, startConsumer } from "./startConsumer.ts"
import { type Producer, startProducer } from "../producer/startProducer.ts"
import type { Incoming } from "../record.ts"
import { ensureTopics } from "../admin/ensureTopics.ts"

const kafka = realBroker()
let producer: Producer
const running = new Set<Consumer>()

beforeAll(async () => {
  producer = await startProducer({ kafka })
})
afterEach(async () => {
  await Promise.all([...running].map((consumer) => consumer.close(100)))
  running.clear()
})
afterAll(() => producer?.close(1_000))

type Take = ConsumerOptions["take"]

async function consume(
  group: string,
  topics: ConsumerOptions["topics"],
  take: Take,
  more: Partial<ConsumerOptions> = {},
): Promise<Consumer> {
  const consumer = await startConsumer({
    kafka,
    group,
    topics,
    maxOutstanding: 1_000,
    sessionTimeoutMs: 6_000,
    take,
    ...more,
  })
  running.add(consumer)
  return consumer
}

const publishNumbered = (topic: string, count: number) =>
  producer.publish(Array.from({ length: count }, (_, n) => ({ topic, key: String(n), value: String(n) })))

const offsetsOf = (records: Incoming[]) =>
  records.map(({ offset }) => Number(offset)).toSorted((a, b) => a - b)
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

/** A broker's answer that is an error. */
const saying = (type: string, retriable = true) =>
  new kafkajs.KafkaJSProtocolError(Object.assign(new Error(type), { type, retriable }))

/** Commits go out every 250 ms: after a few of them, what is not committed is held back on purpose. */
const severalCommits = () => new Promise((resolve) => setTimeout(resolve, 1_000))

test("after a kill -9, exactly the records from the first not-done one on come again", {
  timeout: 30_000,
}, async () => {
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
  expect(printed, "the library's warnings are silenced").toBe("")

  const again: Incoming[] = []
  await consume(group, [{ topic }], (records, done) => {
    again.push(...records)
    for (const record of records) done(record)
  })
  await until(() => again.length >= 60)
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "100")
  expect(offsetsOf(again)).toEqual(range(40, 100))
})

test("commits are contiguous: a gap holds back what is done behind it, and only that", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 10)
  const taken: Incoming[] = []
  let finish: (record: Incoming) => void = () => {}
  await consume(group, [{ topic }], (records, done) => {
    finish = done
    taken.push(...records)
  })
  await until(() => taken.length === 10)
  for (const record of taken.toReversed()) if (record.offset !== "4") finish(record)
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "4")
  await severalCommits()
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: "4" })
  for (const record of taken) finish(record)
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "10")
})

test("never more than maxOutstanding are in hand, through a backlog of 20,000 that is done slowly", {
  timeout: 30_000,
}, async () => {
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
  await until(() => seen.size === 20_000, 25_000)
  await until(() => consumer.outstanding() === 0)
  expect(most).toBeLessThanOrEqual(300)
  expect(most).toBeGreaterThan(250)
  expect(sizes.reduce((sum, size) => sum + size)).toBe(20_000)
  expect(await consumer.close(5_000)).toEqual({ drained: true })
})

test("a record that hangs holds up neither its own partition nor another, only its commit", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  await publishNumbered(topic, 200)
  const taken: Incoming[] = []
  const consumer = await consume(
    group,
    [{ topic }],
    (records, done) => {
      taken.push(...records)
      for (const record of records) if (record.partition === 1 || record.offset !== "0") done(record)
    },
    { maxOutstanding: 5 },
  )
  await until(() => taken.length === 200)
  await publishNumbered(topic, 200)
  await until(() => taken.length === 400)
  expect(consumer.outstanding()).toBe(1)
  const ends = taken.filter(({ partition }) => partition === 1).length
  await until(async () => (await committedOffsets(kafka, group, topic))[1] === String(ends))
  expect((await committedOffsets(kafka, group, topic))[0]).toBe("-1")
  expect(await consumer.lag()).toContainEqual({ topic, partition: 1, lag: 0 })
})

test("how far the group is behind is told of each partition that is assigned, also where there is no room to fetch", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  const held: (() => void)[] = []
  const take: Take = (records, done) => {
    for (const record of records) held.push(() => done(record))
  }
  const first = await consume(group, [{ topic }], take, { maxOutstanding: 1 })
  expect((await first.lag()).map(({ lag }) => lag)).toEqual([0, 0])
  await publishNumbered(topic, 200)
  await until(() => held.length === 1)
  await publishNumbered(topic, 3_000)
  const behind = async (consumer: Consumer) => (await consumer.lag()).reduce((sum, { lag }) => sum + lag, 0)
  expect(await behind(first)).toBe(3_200)
  const second = await consume(group, [{ topic }], take, { maxOutstanding: 1 })
  await until(async () => (await first.lag()).length === 1 && (await second.lag()).length === 1)
  expect((await behind(first)) + (await behind(second))).toBe(3_200)
  await first.close(1_000)
  expect(await first.lag()).toEqual([])
})

test("at the bound a member stays a member, and lets another join", { timeout: 20_000 }, async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  await publishNumbered(topic, 50)
  const health: boolean[] = []
  const first = await consume(group, [{ topic }], () => {}, {
    maxOutstanding: 3,
    onHealth: (now) => health.push(now),
  })
  await until(() => first.outstanding() === 3)
  // Longer than the session: without heartbeats the member would be thrown out.
  await new Promise((resolve) => setTimeout(resolve, 7_000))
  const start = Date.now()
  const taken: Incoming[] = []
  await consume(group, [{ topic }], (records) => taken.push(...records))
  await until(() => taken.length > 0)
  expect(Date.now() - start).toBeLessThan(4_000)
  expect(health).toEqual([true])
})

test("a join that fails while the coordinator moves is made good", { timeout: 20_000 }, async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  const taken: Incoming[] = []
  await consume(group, [{ topic }], (records, done) => {
    taken.push(...records)
    for (const record of records) done(record)
  })
  await publishNumbered(topic, 10)
  await until(() => taken.length === 10)
  // What a group's old coordinator and its new one say, in the moment in which neither has the group.
  const moved = saying("NOT_COORDINATOR_FOR_GROUP")
  const heartbeat = vi.spyOn(Broker.prototype, "heartbeat").mockRejectedValueOnce(moved)
  const loading = saying("GROUP_LOAD_IN_PROGRESS")
  const joinGroup = vi.spyOn(Broker.prototype, "joinGroup").mockRejectedValueOnce(loading)
  await until(() => joinGroup.mock.calls.length > 0)
  await publishNumbered(topic, 10)
  await until(() => taken.length === 20, 10_000)
  heartbeat.mockRestore()
  joinGroup.mockRestore()
})

test("a member that may not fetch is unhealthy, however often it joins, until it may", {
  timeout: 20_000,
}, async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  const taken: Incoming[] = []
  const health: boolean[] = []
  const take: Take = (records, done) => {
    taken.push(...records)
    for (const record of records) done(record)
  }
  await consume(group, [{ topic }], take, { onHealth: (now) => health.push(now) })
  const denied = saying("TOPIC_AUTHORIZATION_FAILED", false)
  const fetch = vi.spyOn(Broker.prototype, "fetch").mockRejectedValue(denied)
  await until(() => fetch.mock.calls.length >= 3)
  expect(health).toEqual([true, false])
  fetch.mockRestore()
  await publishNumbered(topic, 10)
  await until(() => taken.length === 10)
  expect(health).toEqual([true, false, true])
})

test("a topic that is made anew while its records are in hand is consumed from its beginning, and committed", {
  timeout: 40_000,
}, async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 100)
  const taken: Incoming[] = []
  let finish: (record: Incoming) => void = () => {}
  const consumer = await consume(group, [{ topic }], (records, done) => {
    finish = done
    taken.push(...records)
  })
  await until(() => taken.length === 100)
  await withAdmin(kafka, (admin) => admin.deleteTopics({ topics: [topic] }))
  const make = () => ensureTopics({ kafka, topics: [{ name: topic, partitions: 1, config: {} }] })
  await until(() =>
    make().then(
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
  await until(() => taken.length >= 140)
  for (const record of taken) finish(record)
  await until(() => consumer.outstanding() === 0)
  await until(async () => (await committedOffsets(kafka, group, topic))[0] === "40")
  expect(offsetsOf(taken.slice(100))).toEqual(range(0, 40))
})

test("what is done after a rebalance commits nothing for the member that has the partition now", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  await publishNumbered(topic, 40)
  const firsts: Incoming[] = []
  let doneOfFirst: (record: Incoming) => void = () => {}
  const first = await consume(group, [{ topic }], (records, done) => {
    doneOfFirst = done
    firsts.push(...records)
  })
  await until(() => firsts.length === 40)
  const held = [...firsts]

  const seconds: Incoming[] = []
  await consume(group, [{ topic }], (records) => seconds.push(...records))
  await until(() => seconds.length > 0 && firsts.length > 40)
  const moved = seconds[0]?.partition ?? -1
  expect(firsts.slice(40).some(({ partition }) => partition === moved)).toBe(false)

  for (const record of held) doneOfFirst(record)
  await severalCommits()
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: "-1", 1: "-1" })
  // Late ones give their room back all the same: in hand is what was handed over again.
  expect(first.outstanding()).toBe(firsts.length - 40)
})

test("a rebalance commits what is done, so that it is not done twice", async () => {
  const [topic, group] = [await makeTopic(kafka, { partitions: 2 }), uniqueName("group")]
  await publishNumbered(topic, 2_000)
  const counts = new Map<string, number>()
  const take: Take = (records, done) => {
    for (const record of records) {
      const place = `${record.partition}/${record.offset}`
      counts.set(place, (counts.get(place) ?? 0) + 1)
      done(record)
    }
  }
  await consume(group, [{ topic }], take)
  await until(() => counts.size === 2_000)
  // Publishing throughout: at the moment of each rebalance something has been done since the last commit.
  let published = 2_000
  let moving = true
  const publishing = (async () => {
    while (moving) {
      await publishNumbered(topic, 20)
      published += 20
    }
  })()
  const second = await consume(group, [{ topic }], take)
  await until(async () => (await second.lag()).length === 1)
  await second.close(2_000)
  moving = false
  await publishing
  await until(() => counts.size === published)
  expect(Math.max(...counts.values())).toBe(1)
})

test("close waits for what is in hand, commits it, and hands nothing more over", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 500)
  const taken: Incoming[] = []
  const consumer = await consume(
    group,
    [{ topic }],
    (records, done) => {
      taken.push(...records)
      for (const record of records) setTimeout(() => done(record), 300)
    },
    { maxOutstanding: 10 },
  )
  await until(() => taken.length >= 10)
  expect(await consumer.close(5_000)).toEqual({ drained: true })
  expect(taken.length).toBeLessThanOrEqual(20)
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: String(taken.length) })
})

test("close keeps its deadline when something in hand is never done, and says so", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 10)
  const consumer = await consume(group, [{ topic }], (records, done) => {
    for (const record of records) if (record.offset !== "3") done(record)
  })
  await until(() => consumer.outstanding() === 1)
  const start = Date.now()
  expect(await consumer.close(1_000)).toEqual({ drained: false })
  expect(Date.now() - start).toBeLessThan(3_000)
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: "3" })
})

test("a handler that throws makes the consumer unhealthy, and it starts over with the same records", async () => {
  const [topic, group] = [await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 5)
  const health: [boolean, string | undefined][] = []
  const taken: Incoming[] = []
  let throws = true
  const consumer = await consume(
    group,
    [{ topic }],
    (records, done) => {
      if (throws) {
        throws = false
        throw new Error("not today")
      }
      taken.push(...records)
      for (const record of records) done(record)
    },
    { onHealth: (now, why) => health.push([now, why]) },
  )
  await until(() => taken.length === 5)
  expect(health.map(([now]) => now)).toEqual([true, false, true])
  expect(health[1]?.[1]).toMatch(/not today/)
  expect(consumer.outstanding()).toBe(0)
})

test("what other clients send and ours would not stops nobody: headers without a value, batches packed otherwise", async () => {
  const config = { "compression.type": "uncompressed" }
  const [topic, group] = [await makeTopic(kafka, { config }), uniqueName("group")]
  const other = fork(new URL("../../test/fixtures/publishAsOtherClient.ts", import.meta.url), [
    kafka.brokers.join(","),
    topic,
  ])
  expect(await once(other, "exit")).toEqual([0, null])
  const taken: Incoming[] = []
  await consume(group, [{ topic }], (records) => void taken.push(...records))
  await until(() => taken.length === 3)
  expect(taken.map(({ value }) => String(value))).toEqual(["null header", "zstd", "zstd, too"])
  expect(taken[0]?.headers).toEqual({ correlation: "c-1" })
})

test("a topic that does not exist is a clear error at start", async () => {
  const starting = consume(uniqueName("group"), [{ topic: "nowhere" }], () => {}, { startDeadlineMs: 1_500 })
  await expect(starting).rejects.toThrow(/could not be joined .* within 1500 ms .*nowhere/s)
})

const lateTopic = () =>
  makeTopic(kafka, { partitions: 3, config: { "message.timestamp.type": "LogAppendTime" } })

test("delayed records are never early and less than a second late, several delays in one consumer", async () => {
  const [short, long, plain, group] = [
    await lateTopic(),
    await lateTopic(),
    await makeTopic(kafka),
    uniqueName("group"),
  ]
  const waits: Record<string, number[]> = { [short]: [], [long]: [], [plain]: [] }
  await consume(
    group,
    [{ topic: short, delayMs: 700 }, { topic: long, delayMs: 3_000 }, { topic: plain }],
    (records, done) => {
      for (const record of records) {
        waits[record.topic]?.push(Date.now() - record.appendedAt)
        done(record)
      }
    },
  )
  for (let round = 0; round < 20; round++) {
    await Promise.all([short, long, plain].map((topic) => publishNumbered(topic, 30)))
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  await until(() => Object.values(waits).every((of) => of.length === 600))
  for (const [topic, delayMs] of [
    [short, 700],
    [long, 3_000],
    [plain, 0],
  ] as const) {
    expect(Math.min(...(waits[topic] ?? []))).toBeGreaterThanOrEqual(delayMs)
    expect(Math.max(...(waits[topic] ?? []))).toBeLessThan(delayMs + 1_000)
  }
})

test.each([
  { clock: "an hour behind", aheadMs: -3_600_000 },
  { clock: "an hour ahead, once it has published,", aheadMs: 3_600_000 },
])("a machine whose clock is $clock hands records over when they are due", async ({ aheadMs }) => {
  const [topic, group] = [await lateTopic(), uniqueName("group")]
  const wall = () => Date.now() + aheadMs
  const wrong = { ...kafka, clock: createBrokerClock({ wall, monotonic: () => performance.now() }) }
  const waits: number[] = []
  const consumer = await startConsumer({
    kafka: wrong,
    group,
    topics: [{ topic, delayMs: 1_500 }],
    maxOutstanding: 100,
    take(records, done) {
      for (const record of records) {
        waits.push(Date.now() - record.appendedAt)
        done(record)
      }
    },
  })
  onTestFinished(() => consumer.close(100).then(() => {}))
  const publisher = await startProducer({ kafka: wrong })
  onTestFinished(() => publisher.close(100))
  const other = await lateTopic()
  await publisher.publish([{ topic: other, key: null, value: "any" }])
  for (let n = 0; n < 10; n++) await publisher.publish([{ topic, key: String(n), value: "x" }])
  await until(() => waits.length === 10)
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_500)
  expect(Math.max(...waits)).toBeLessThan(2_500)
})

test("a delay survives a member joining and one leaving: never early, nothing lost", {
  timeout: 20_000,
}, async () => {
  const [topic, prompt, group] = [await lateTopic(), await makeTopic(kafka), uniqueName("group")]
  const delayMs = 4_000
  const waits = new Map<string, number>()
  let prompted = false
  const take: Take = (records, done) => {
    for (const record of records) {
      if (record.topic === prompt) prompted = true
      else waits.set(`${record.partition}/${record.offset}`, Date.now() - record.appendedAt)
      done(record)
    }
  }
  const topics = [{ topic, delayMs }, { topic: prompt }]
  await consume(group, topics, take)
  await publishNumbered(topic, 300)
  // What was appended before it is fetched with it.
  await publishNumbered(prompt, 1)
  await until(() => prompted)
  const second = await consume(group, topics, take)
  await publishNumbered(topic, 300)
  await second.close(1_000)
  await until(() => waits.size === 600)
  expect(Math.min(...waits.values())).toBeGreaterThanOrEqual(delayMs)
  expect(Math.max(...waits.values())).toBeLessThan(delayMs + 1_000)
})

test("what waits for its time is not in hand, and close does not wait for it", async () => {
  const [topic, prompt, group] = [await lateTopic(), await makeTopic(kafka), uniqueName("group")]
  await publishNumbered(topic, 30)
  await publishNumbered(prompt, 1)
  const taken: Incoming[] = []
  const topics = [{ topic, delayMs: 3_600_000 }, { topic: prompt }]
  const consumer = await consume(group, topics, (records, done) => {
    taken.push(...records)
    records.forEach(done)
  })
  // What was appended before it is fetched with it.
  await until(() => taken.length > 0)
  expect(consumer.outstanding()).toBe(0)
  expect(await consumer.close(2_000)).toEqual({ drained: true })
  expect(taken.map((record) => record.topic)).toEqual([prompt])
  expect(await committedOffsets(kafka, group, topic)).toEqual({ 0: "-1", 1: "-1", 2: "-1" })
})
