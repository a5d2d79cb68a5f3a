import assert from "node:assert/strict"
import { readFileSync } from "node:fs"
import net from "node:net"
import { test } from "node:test"
import kafkajs, { Kafka, logLevel } from "kafkajs"
import { InvalidSitePaidError, SitePaidPublisher } from "sitewire-publish"

const vectors = JSON.parse(readFileSync(new URL("../../vectors/site-paid.json", import.meta.url), "utf8"))
const valid = vectors.filter(({ field }) => field === null)
const invalid = vectors.filter(({ field }) => field !== null)
const brokers = process.env.KAFKA_BROKERS?.split(",")
const topic = `${process.env.TOPIC_PREFIX ?? ""}site.paid`

/** A Kafka whose producers only note what is done with them. `send` decides what becomes of a record. */
function fakeKafka(send = async () => {}) {
  const kafka = { options: [], sent: [], disconnected: 0 }
  kafka.producer = (options) => {
    kafka.options.push(options)
    return {
      connect: async () => {},
      disconnect: async () => void kafka.disconnected++,
      async send(request) {
        kafka.sent.push(request)
        await send(request)
        return [{ partition: 1, baseOffset: "7" }]
      },
    }
  }
  return kafka
}

for (const { name, event, headers, field } of invalid) {
  test(`refused before the broker: ${name}`, async () => {
    const kafka = fakeKafka()
    await assert.rejects(new SitePaidPublisher(kafka).publish(event, headers), (error) => {
      assert(error instanceof InvalidSitePaidError, error)
      assert.equal(error.field, field)
      assert.match(error.message, new RegExp(`^site.paid was not published: ${field} [^.]+\\. [A-Z].+\\.$`))
      assert.doesNotMatch(error.message, /s3cret/)
      return true
    })
    assert.deepEqual(kafka.options, [])
  })
}

for (const { name, event, headers } of valid) {
  test(`key, acks, idempotence and value: ${name}`, async () => {
    const kafka = fakeKafka()
    const stored = await new SitePaidPublisher(kafka).publish(event, headers)
    assert.deepEqual(stored, { topic: "site.paid", partition: 1, offset: "7" })
    assert.partialDeepStrictEqual(kafka.options, [{ idempotent: true, maxInFlightRequests: 1 }])
    const [{ acks, topic, compression, messages }] = kafka.sent
    assert.deepEqual({ acks, topic, compression }, { acks: -1, topic: "site.paid", compression: undefined })
    const { price, ...fields } = event
    assert.deepEqual(
      { ...messages[0], value: JSON.parse(messages[0].value) },
      { key: event.id, value: fields, headers: headers ?? {} },
    )
  })
}

test("half of a surrogate pair is refused, and so is what is no object", async () => {
  const publisher = new SitePaidPublisher(fakeKafka())
  await assert.rejects(publisher.publish({ ...valid[0].event, name: "\ud83e" }), { field: "name" })
  for (const other of [undefined, null, "text"]) await assert.rejects(publisher.publish(other), TypeError)
  assert.throws(() => new SitePaidPublisher({}), TypeError)
})

test("after a failure, the next event has a producer of its own", async () => {
  let failures = 1
  const kafka = fakeKafka(async () => {
    if (failures-- > 0) throw new Error("not acknowledged")
  })
  const publisher = new SitePaidPublisher(kafka)
  const [first, second] = await Promise.allSettled(
    valid.slice(0, 2).map(({ event }) => publisher.publish(event)),
  )
  assert.deepEqual([first.status, second.status], ["rejected", "fulfilled"])
  assert.equal(kafka.options.length, 2)
  await publisher.close()
  assert.equal(kafka.disconnected, 2)
})

test("a broker that cannot be reached is tried for 40 s", async (context) => {
  context.mock.timers.enable({ apis: ["Date", "setTimeout"] })
  /** Publishes while nobody can connect until then (ms), and returns when `publish` ended (ms). */
  async function publishUntil(availableAt, error) {
    const kafka = fakeKafka()
    const { producer } = kafka
    kafka.producer = (options) => ({
      ...producer(options),
      connect: async () => {
        if (Date.now() < availableAt) throw error
      },
    })
    const startedAt = Date.now()
    let outcome
    new SitePaidPublisher(kafka).publish(valid[0].event).then(
      () => (outcome = "stored"),
      (reason) => (outcome = reason),
    )
    for (;;) {
      await new Promise(setImmediate)
      if (outcome !== undefined) return [outcome, Date.now() - startedAt]
      context.mock.timers.tick(1_000)
    }
  }
  const unreachable = Object.assign(new Error("refused"), { name: "KafkaJSNumberOfRetriesExceeded" })
  assert.deepEqual(await publishUntil(30_000, unreachable), ["stored", 30_000])
  assert.deepEqual(await publishUntil(Infinity, unreachable), [unreachable, 40_000])
  const rejected = new Error("wrong password")
  assert.deepEqual(await publishUntil(Infinity, rejected), [rejected, 0])
})

const skip = brokers ? false : "KAFKA_BROKERS is not set"

test("the real broker stores every valid event", { skip }, async (context) => {
  const publisher = new SitePaidPublisher(new Kafka({ brokers, logLevel: logLevel.NOTHING }), { topic })
  context.after(() => publisher.close())
  const stored = await Promise.all(valid.map(({ event, headers }) => publisher.publish(event, headers)))
  assert.equal(new Set(stored.map(({ partition, offset }) => `${partition} ${offset}`)).size, valid.length)
})

test("an event is stored by a broker that cannot be reached for 12 s", { skip }, async (context) => {
  const [host, port] = brokers[0].split(":")
  const sockets = new Set()
  const server = net.createServer((socket) => {
    const broker = net.connect(Number(port), host)
    for (const one of [socket, broker]) sockets.add(one.on("error", () => {}))
    socket.pipe(broker).pipe(socket)
  })
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve))
  const listening = server.address().port
  await new Promise((resolve) => server.close(resolve))
  setTimeout(() => server.listen(listening, "127.0.0.1"), 12_000)

  const kafka = new Kafka({ brokers: [`127.0.0.1:${listening}`], logLevel: logLevel.NOTHING })
  const publisher = new SitePaidPublisher(kafka, { topic })
  context.after(async () => {
    await publisher.close()
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { partition } = await publisher.publish({ ...valid[0].event, id: "unreachable-at-first" })
  assert.equal(typeof partition, "number")
})

test("no event is lost when a connection ends between a record and its acknowledgement", {
  skip,
}, async (context) => {
  let cuts = 1
  const socketFactory = ({ host, port, onConnect }) => {
    const socket = net.connect({ host, port }, onConnect)
    const write = socket.write.bind(socket)
    // A request begins with its length (4 bytes) and its kind, of which 0 is Produce. Its response is thrown away.
    socket.write = (data, ...rest) => {
      const isProduce = data.length > 6 && data.readInt16BE(4) === 0
      if (isProduce && cuts-- > 0)
        socket.removeAllListeners("data").once("data", () => socket.destroy(new Error("cut")))
      return write(data, ...rest)
    }
    return socket
  }
  const kafka = new Kafka({ brokers, logLevel: logLevel.NOTHING, socketFactory })
  const publisher = new SitePaidPublisher(kafka, { topic })
  context.after(() => publisher.close())
  // In one partition, because sequence numbers are counted for each. publish.extended.test.ts reads the records.
  const partitionOf = kafkajs.Partitioners.DefaultPartitioner()
  const partitionMetadata = Array.from({ length: 6 }, (_, partitionId) => ({ partitionId, leader: 1 }))
  const ids = Array.from({ length: 99 }, (_, n) => `cut-${n}`)
    .filter((key) => partitionOf({ topic, partitionMetadata, message: { key } }) === 0)
    .slice(0, 4)
  await Promise.all(ids.map((id) => publisher.publish({ ...valid[0].event, id })))
  assert(cuts < 0, "a connection was cut")
})
