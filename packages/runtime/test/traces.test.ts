import { startReceiver } from "@sitewire/cli/receivers"
import { startTestInstallation, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { event } from "./fixtures/event.ts"
import type { ReceivedSpan } from "./fixtures/readOtlp.ts"
import { startOtlpReceiver } from "./fixtures/startOtlpReceiver.ts"

const publisher = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
const unsampled = `${publisher.slice(0, -2)}00`
const traceIdOf = (traceparent: string) => traceparent.slice(3, 35)
const spanIdOf = (traceparent: string) => traceparent.slice(36, 52)

async function startTraced(env: Record<string, string> = {}) {
  const collector = await startOtlpReceiver()
  const it = await startTestInstallation({
    env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, SYNC_WINDOW: "1s", SYNC_SETTLE: "300ms", ...env },
  })
  const spansOf = (attribute: string, value: string) =>
    collector.spans.filter(({ attributes }) => attributes[attribute] === value)
  return {
    ...it,
    collector,
    spansOf,
    /** Waits for spans with this attribute, in the order of their names. */
    waitForSpans: (count: number, attribute: string, value: string): Promise<ReceivedSpan[]> =>
      waitUntil(`${count} spans of ${value}`, () => {
        const found = spansOf(attribute, value)
        return found.length >= count && found.toSorted((a, b) => (a.name < b.name ? -1 : 1))
      }),
    publishEvent: (id: string, channel: string, traceparent?: string) =>
      it.publish([
        {
          topic: it.names.sitePaid,
          key: id,
          value: event(id, channel),
          ...(traceparent === undefined ? {} : { headers: { traceparent } }),
        },
      ]),
    async [Symbol.asyncDispose]() {
      await it.stop()
      await collector.close()
    },
  }
}

test("a publisher's trace continues through Kafka, the row and each attempt; a retry links to the attempt before", async () => {
  await using it = await startTraced()
  const partner = await startReceiver((_, response, before) =>
    response.writeHead(before === 0 ? 500 : 204).end(),
  )
  const secret = "confidential-secret"
  await it.addChannel({
    id: "acme",
    address: `${partner.url}/confidential-path?key=confidential-query`,
    secret,
  })
  await it.sql("update channel set send_traceparent = true")
  const dispatcher = await it.start("dispatcher", { LOG_LEVEL: "debug" })
  await it.publishEvent("shop-1", "acme", publisher)

  const spans = await it.waitForSpans(3, "sitewire.event.id", "shop-1")
  const [first, second] = spans
    .filter(({ name }) => name === "attempt")
    .toSorted(
      (a, b) =>
        Number(a.attributes["sitewire.attempt.number"]) - Number(b.attributes["sitewire.attempt.number"]),
    )
  const processing = spans.find(({ name }) => name === `process ${it.names.sitePaid}`)
  expect(processing).toMatchObject({
    traceId: traceIdOf(publisher),
    parentSpanId: spanIdOf(publisher),
    resource: { "service.name": "webhook-dispatcher", "service.namespace": "sitewire" },
    attributes: {
      "messaging.system": "kafka",
      "sitewire.channel.id": "acme",
      "sitewire.outcome": "accepted",
    },
  })
  const delivery = { traceId: traceIdOf(publisher), parentSpanId: processing?.spanId }
  expect(first).toMatchObject({
    ...delivery,
    failed: true,
    links: [],
    attributes: { "http.response.status_code": 500, "sitewire.attempt.number": 1, "error.type": "500" },
  })
  expect(second).toMatchObject({
    ...delivery,
    failed: false,
    links: [first?.traceparent],
    attributes: {
      "http.response.status_code": 204,
      "sitewire.attempt.number": 2,
      "sitewire.outcome": "delivered",
    },
  })
  expect(await it.sql("select traceparent from delivery")).toEqual([{ traceparent: processing?.traceparent }])
  expect(partner.received.map(({ headers }) => headers.traceparent)).toEqual([
    first?.traceparent,
    second?.traceparent,
  ])
  const lines = dispatcher
    .output()
    .split("\n")
    .filter((line) => line.includes("attempt made"))
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { trace_id: traceIdOf(publisher), span_id: first?.spanId },
    { trace_id: traceIdOf(publisher), span_id: second?.spanId },
  ])
  expect(it.collector.raw()).not.toContain("onfidential")
  await partner.close()
})

test("a delivery that is deferred and claimed later stays in its trace, and its partner gets no traceparent by default", async () => {
  await using it = await startTraced()
  const partner = await startReceiver()
  await it.addChannel({ id: "acme", address: partner.url, secret: "s" })
  await it.sql("update channel set paused_at = now()")
  await it.start("dispatcher")
  await it.publishEvent("shop-1", "acme", publisher)
  await waitUntil(
    "the deferral",
    async () => (await it.sql("select from waiting_delivery where deferred_at is not null")).length,
  )
  await it.sql("update channel set paused_at = null, resumed_at = now()")
  const [attempt, processing] = await it.waitForSpans(2, "sitewire.event.id", "shop-1")
  expect(attempt).toMatchObject({
    traceId: traceIdOf(publisher),
    parentSpanId: processing?.spanId,
    links: [],
  })
  expect(partner.received[0]?.headers).not.toHaveProperty("traceparent")
  await partner.close()
})

test("what is not recorded leaves no trace: neither a span nor a column nor a header", async () => {
  await using it = await startTraced({ OTEL_TRACES_SAMPLER: "parentbased_always_off" })
  const partner = await startReceiver((_, response, before) =>
    response.writeHead(before === 0 ? 500 : 204).end(),
  )
  await it.addChannel({ id: "acme", address: partner.url, secret: "s" })
  await it.sql("update channel set send_traceparent = true")
  const dispatcher = await it.start("dispatcher")
  const retries = await it.followTopic(it.names.retry[0] ?? "")
  await it.publishEvent("shop-unsampled", "acme", unsampled)
  await it.publishEvent("shop-invalid", "acme", "00-not-a-trace")
  await it.publishEvent("shop-none", "acme")
  await it.publishEvent("shop-sampled", "acme", publisher)
  await it.waitForSpans(2, "sitewire.event.id", "shop-sampled")
  await waitUntil(
    "all deliveries",
    async () => (await it.sql("select from delivery where state = 'delivered'")).length === 4,
  )
  expect(await dispatcher.end("SIGTERM")).toBe(0)
  const events = new Set(it.collector.spans.map(({ attributes }) => attributes["sitewire.event.id"]))
  expect([...events]).toEqual(["shop-sampled"])
  expect(await it.sql("select event_id from delivery where traceparent is not null")).toEqual([
    { event_id: "shop-sampled" },
  ])
  const sent = partner.received.filter(({ headers }) => headers.traceparent !== undefined)
  expect(sent.every(({ headers }) => headers.traceparent?.includes(traceIdOf(publisher)))).toBe(true)
  await waitUntil("the retry's record", () => retries.length === 1)
  const isSampled = retries[0]?.headers.traceparent !== undefined
  expect(isSampled).toBe(partner.received[0]?.headers.traceparent !== undefined)
  await partner.close()
})

test("triggers of partners are traces of ours that link to the partners', through Kafka and the window to one sync, and nothing written about it contains a secret", async () => {
  await using it = await startTraced()
  const source = await startReceiver((_, response, before) =>
    response.writeHead(before === 0 ? 503 : 200).end("data"),
  )
  const [token] = await it.addConnections([
    { id: "shop", source: `${source.url}/confidential?key=confidential` },
  ])
  const gateway = await it.start("gateway", { LOG_LEVEL: "trace" })
  const call = async () => {
    const url = `${gateway.addresses.gateway}/connectors/hook/shop/${token}/`
    const response = await fetch(url, { method: "POST", headers: { traceparent: publisher } })
    expect(response.status).toBe(202)
  }
  await call()
  await call()
  // Not before, so that one sync covers both, however busy the machine is.
  const scheduler = await it.start("scheduler", { LOG_LEVEL: "trace" })
  const route = "/connectors/hook/:id/:token"
  const servers = await it.waitForSpans(2, "http.route", route)
  for (const server of servers) {
    expect(server).toMatchObject({
      name: `POST ${route}`,
      parentSpanId: "",
      links: [publisher],
      attributes: {
        "http.response.status_code": 202,
        "sitewire.connection.id": "shop",
        "sitewire.partner.trace_id": traceIdOf(publisher),
      },
    })
    expect(server.traceId).not.toBe(traceIdOf(publisher))
  }
  const spans = await it.waitForSpans(6, "sitewire.connection.id", "shop")
  await waitUntil(
    "the second sync",
    () => it.collector.spans.filter(({ name }) => name === "sync").length === 2,
  )
  const topic = it.names.connectorTriggered
  const byName = (name: string) => it.collector.spans.filter((span) => span.name === name)
  const consumed = byName(`process ${topic}`)
  expect(
    byName(`send ${topic}`)
      .map(({ parentSpanId }) => parentSpanId)
      .toSorted(),
  ).toEqual(servers.map(({ spanId }) => spanId).toSorted())
  expect(consumed.map(({ parentSpanId }) => parentSpanId).toSorted()).toEqual(
    byName(`send ${topic}`)
      .map(({ spanId }) => spanId)
      .toSorted(),
  )
  const [failed, succeeded] = byName("sync").toSorted(
    (a, b) => Number(a.attributes["sitewire.sync.fence"]) - Number(b.attributes["sitewire.sync.fence"]),
  )
  const [parent, linked] = consumed.toSorted((a) => (a.spanId === failed?.parentSpanId ? -1 : 1))
  expect(failed).toMatchObject({
    traceId: parent?.traceId,
    parentSpanId: parent?.spanId,
    links: [linked?.traceparent],
    failed: true,
    attributes: { "sitewire.outcome": "failed", "error.type": "status", "sitewire.sync.triggers": 2 },
  })
  expect(succeeded).toMatchObject({
    traceId: parent?.traceId,
    parentSpanId: parent?.spanId,
    links: [linked?.traceparent, failed?.traceparent],
    failed: false,
    attributes: { "sitewire.outcome": "changed" },
  })
  expect(spans.length).toBeGreaterThanOrEqual(6)
  expect(source.received.every(({ headers }) => headers.traceparent === undefined)).toBe(true)
  expect(await it.sql("select traceparents from sync_window")).toEqual([{ traceparents: null }])
  const lines = scheduler
    .output()
    .split("\n")
    .filter((line) => line.includes("sync finished"))
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { trace_id: parent?.traceId, span_id: failed?.spanId },
    { trace_id: parent?.traceId, span_id: succeeded?.spanId },
  ])
  const metrics = await (await fetch(`${scheduler.addresses.ops}/metrics`)).text()
  for (const written of [it.collector.raw(), scheduler.output(), gateway.output(), metrics])
    for (const secret of [token ?? "", "onfidential", "secret of shop"]) expect(written).not.toContain(secret)
  await source.close()
})

test("a request without a valid token leaves no span, so nobody else can fill the trace store", async () => {
  await using it = await startTraced()
  const [token = "", other = ""] = await it.addConnections([
    { id: "shop", source: "https://source.example/" },
    { id: "other", source: "https://source.example/" },
  ])
  const gateway = await it.start("gateway")
  const call = async (path: string) =>
    (await fetch(`${gateway.addresses.gateway}/connectors/hook/${path}`, { method: "POST" })).status
  const beganAt = Date.now()
  expect(await Promise.all([`shop/${other}/`, `nobody/${token}/`, "shop/no-token/"].map(call))).toEqual([
    404, 404, 404,
  ])
  expect(await call(`shop/${token}/`)).toBe(202)
  expect(await gateway.end("SIGTERM")).toBe(0)
  const servers = it.spansOf("http.route", "/connectors/hook/:id/:token")
  expect(servers).toMatchObject([
    { attributes: { "sitewire.connection.id": "shop", "http.response.status_code": 202 } },
  ])
  const [server] = servers
  const send = it.collector.spans.find(({ parentSpanId }) => parentSpanId === server?.spanId)
  // The token was checked between the two starts.
  expect(server?.startedAt).toBeGreaterThanOrEqual(beganAt - 1)
  expect(server?.startedAt).toBeLessThan(send?.startedAt ?? 0)
})
