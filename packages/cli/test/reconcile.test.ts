import { type ConnectorTriggered, jobSchema } from "@sitewire/contracts"
import { groupLag, startConsumer } from "@sitewire/kafka"
import { startTestInstallation, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"
import { startConsoleOf } from "./fixtures/startConsole.ts"

const email = "Owner@Shop.example"
const groups = { paid: "webhook-dispatcher.paid", triggers: "sync-scheduler" }

let it: Awaited<ReturnType<typeof startTestInstallation>>
let console: Awaited<ReturnType<typeof startConsoleOf>>
/** Fails for paths that begin with /down. */
const partner = await startReceiver(({ path }, response) =>
  response.writeHead(path.startsWith("/down") ? 500 : 200).end("data"),
)

beforeAll(async () => {
  it = await startTestInstallation({
    retryDelaysMs: [600_000],
    env: { SYNC_SETTLE: "50ms", LOG_LEVEL: "warn" },
  })
  console = await startConsoleOf(it)
  await it.addChannel({ id: "acme", address: partner.url, secret: "a secret" })
  await it.addChannel({ id: "down", address: `${partner.url}/down`, secret: "a secret" })
  await consumeAll()
})
afterAll(async () => {
  await console?.close()
  await it?.stop()
  await partner.close()
})

const publishEvents = (ids: string[], channel = "acme") =>
  it.publish(ids.map((id) => ({ topic: it.names.sitePaid, key: id, value: event(id, channel) })))

const event = (id: string, channel: string) =>
  JSON.stringify({
    id,
    channel,
    reference: "r",
    site_url: `https://${id}.example`,
    console_url: "https://console.example",
    name: "Shop",
    email,
    created_at: "2030-01-02T03:04:05Z",
  })

/** Publishes triggers as the gateway does. */
const publishTriggers = (connections: string[]) =>
  it.publish(
    connections.map((connection) => {
      const now = new Date().toISOString()
      const trigger: ConnectorTriggered = {
        connection,
        first_at: now,
        last_at: now,
        count: 1,
        correlation: "c",
      }
      return { topic: it.names.connectorTriggered, key: connection, value: JSON.stringify(trigger) }
    }),
  )

const connect = (ids: string[], path = "") =>
  it.addConnections(ids.map((id) => ({ id, source: `${partner.url}${path}/${id}` })))

const count = async (from: string) => (await it.sql(`select 1 from ${from}`)).length

async function isCommitted(of: keyof typeof groups): Promise<boolean> {
  const topic = of === "paid" ? it.names.sitePaid : it.names.connectorTriggered
  const lags = await groupLag(it.kafka, `${it.topicPrefix}${groups[of]}`, [topic])
  return lags.every(({ lag }) => lag === 0)
}

/** Commits the end of its topic for a group without members: the records before it are lost for it. */
async function commitToEnd(of: keyof typeof groups): Promise<void> {
  const consumer = await startConsumer({
    kafka: it.kafka,
    group: `${it.topicPrefix}${groups[of]}`,
    topics: [{ topic: of === "paid" ? it.names.sitePaid : it.names.connectorTriggered }],
    maxOutstanding: 1_000,
    onRecords: (records, done) => records.forEach(done),
  })
  await waitUntil("the commit", () => isCommitted(of))
  await consumer.close(2_000)
}

const reconcile = (...args: string[]) =>
  runCommand(["reconcile", "--from", "1h", ...args], { env: console.cliEnv })

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`)
const sources = numbered("source", 5)

/** Real services consume events and triggers of all kinds, and stop when they have committed them. */
async function consumeAll(): Promise<void> {
  const [dispatcher, scheduler] = await Promise.all([it.start("dispatcher"), it.start("scheduler")])
  await connect([...sources, "stuck", "forgotten", "skipped"])
  await connect(["failing"], "/down")
  await publishEvents([...numbered("shop", 30), ...numbered("shop", 10), "deleted"])
  await publishEvents(numbered("waiting", 4), "down")
  await publishEvents(numbered("unknown", 3), "nobody")
  await it.publish([{ topic: it.names.sitePaid, key: null, value: "no JSON" }])
  await publishTriggers([...sources, "stuck", "forgotten", "failing"])
  await waitUntil("deliveries and syncs", async () => {
    const delivered = await count("delivery where state = 'delivered'")
    const waiting = await count("delivery where attempts = 1 and state = 'pending'")
    return delivered === 31 && waiting === 4 && (await count("sync_run")) === 8
  })
  // Within the window, the next sync of each is pending.
  await publishTriggers(sources)
  await waitUntil("the triggers", async () => (await count("sync_window where requested = 2")) === 5)
  await waitUntil("the commits", async () => (await isCommitted("paid")) && (await isCommitted("triggers")))
  await Promise.all([dispatcher.end("SIGTERM"), scheduler.end("SIGTERM")])
}

test("on a running system everything is accounted for, and what is in flight is no exception", async () => {
  await publishEvents(["later", "skipped"])
  await publishTriggers(["skipped"])
  const { code, stdout, stderr } = await reconcile("--to", "now", "--json")
  const job = jobSchema.parse(JSON.parse(stdout))
  expect(job.counts).toEqual({
    events: 51,
    events_delivered: 41,
    events_pending: 4,
    events_invalid: 4,
    events_unconsumed: 2,
    triggers: 14,
    triggers_covered: 7,
    triggers_pending: 6,
    triggers_unconsumed: 1,
    exceptions: 0,
  })
  expect({ code, exceptions: job.exceptions, stderr }).toEqual({ code: 0, exceptions: [], stderr: "" })
  expect(job.differing).toEqual([])
})

test("an event with the id of a delivered one and other data is listed, and the last line is a sentence", async () => {
  const other = JSON.stringify({ ...JSON.parse(event("shop-1", "acme")), reference: "another" })
  await it.publish([{ topic: it.names.sitePaid, key: "shop-1", value: other }])
  const { code, stdout } = await reconcile()
  expect(code).toBe(0)
  expect(stdout).toMatch(/^event_differs +shop-1 +\S+ +\S*site\.paid +\d +\d+$/m)
  expect(stdout.trimEnd().split("\n").at(-1)).toBe(
    "Nothing is lost: all 52 events and 14 triggers of the period are accounted for, of which 3 are not consumed yet. " +
      "Not delivered, because an event with the same id and other data was: 1.",
  )
})

test("events and triggers that were lost are named, without personal data", async () => {
  await commitToEnd("paid")
  await commitToEnd("triggers")
  await it.sql("delete from delivery where event_id = 'deleted'")
  await it.sql("update sync_window set covered = 0 where connection_id = 'stuck'")
  await it.sql("delete from sync_run where connection_id = 'forgotten'")
  await it.sql("update sync_window set run_last_trigger_at = null where connection_id = 'forgotten'")

  const { code, stdout, stderr } = await reconcile("--json")
  const { counts, exceptions } = jobSchema.parse(JSON.parse(stdout))
  expect(
    exceptions?.map(({ kind, event_id, connection }) => `${kind} ${event_id ?? connection}`).toSorted(),
  ).toEqual([
    "event_lost deleted",
    "event_lost later",
    "event_lost skipped",
    "sync_not_scheduled stuck",
    "trigger_not_synced forgotten",
    "trigger_not_synced skipped",
  ])
  const skipped = (await it.readTopic(it.names.sitePaid)).find(({ key }) => key === "skipped")
  expect(exceptions).toContainEqual(
    expect.objectContaining({ event_id: "skipped", partition: skipped?.partition, offset: skipped?.offset }),
  )
  expect({ code, counts, stderr }).toEqual({
    code: 1,
    counts: expect.objectContaining({ events: 52, events_delivered: 41, triggers: 14, triggers_covered: 5 }),
    stderr: "",
  })
  const human = await reconcile()
  expect(human).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^event_lost +skipped +\S+ +\S*site\.paid +\d +\d+$/m),
  })
  expect(human.stdout).toMatch(
    /\n\nSomething may be lost: of 52 events and 14 triggers of the period, 6 are not accounted for\. .*: 1\.\n$/,
  )
  expect(human.stdout + human.stderr + stdout + console.log()).not.toContain(email)
})
