import { type ConnectorTriggered, type Job, jobSchema } from "@sitewire/contracts"
import { groupLag, startConsumer } from "@sitewire/kafka"
import { runScript, startTestInstallation, waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { startReceiver } from "../src/receivers/index.ts"
import { runCommand } from "./fixtures/runCommand.ts"

const email = "Owner@Shop.example"
const groups = { paid: "webhook-dispatcher.paid", triggers: "sync-scheduler" }

/** All services but the gateway, and a partner that fails for paths that begin with /down. */
async function startSystem() {
  const partner = await startReceiver(({ path }, response) =>
    response.writeHead(path.startsWith("/down") ? 500 : 200).end("data"),
  )
  const it = await startTestInstallation({
    retryDelaysMs: [600_000],
    env: { SYNC_SETTLE: "50ms", LOG_LEVEL: "warn" },
  })
  const key = await runScript(
    "packages/console/src/tools/createKey.ts",
    ["--name", "tests", "--scopes", "operate"],
    {
      DATABASE_URL: it.databaseUrl,
    },
  )
  const { sql, names, kafka, topicPrefix } = it
  await it.addChannel({ id: "acme", address: partner.url, secret: "a secret" })
  await it.addChannel({ id: "down", address: `${partner.url}/down`, secret: "a secret" })

  return {
    ...it,
    publishEvents: (ids: string[], channel = "acme") =>
      it.publish(ids.map((id) => ({ topic: names.sitePaid, key: id, value: event(id, channel) }))),
    /** Publishes triggers as the gateway does. */
    publishTriggers: (connections: string[]) =>
      it.publish(
        connections.map((connection) => {
          const now = new Date().toISOString()
          const trigger: ConnectorTriggered = {
            ...{ connection, first_at: now, last_at: now, count: 1, correlation: "c" },
          }
          return { topic: names.connectorTriggered, key: connection, value: JSON.stringify(trigger) }
        }),
      ),
    connect: (ids: string[], path = "") =>
      it.addConnections(ids.map((id) => ({ id, source: `${partner.url}${path}/${id}` }))),
    count: async (from: string) => (await sql(`select 1 from ${from}`)).length,
    /** Commits the end of its topic for a group without members: the records before it are lost for it. */
    async commitToEnd(of: keyof typeof groups): Promise<void> {
      const group = `${topicPrefix}${groups[of]}`
      const topic = of === "paid" ? names.sitePaid : names.connectorTriggered
      const consumer = await startConsumer({
        ...{ kafka, group, topics: [{ topic }], maxOutstanding: 1_000 },
        onRecords: (records, done) => records.forEach(done),
      })
      const isCommitted = async () => (await groupLag(kafka, group, [topic])).every(({ lag }) => lag === 0)
      await waitUntil("the commit", isCommitted)
      await consumer.close(2_000)
    },
    reconcile: async (args: string[], api: string | undefined) => {
      const env = { SITEWIRE_API: api ?? "", SITEWIRE_API_KEY: key.trim() }
      return runCommand(["reconcile", "--from", "1h", ...args], { env })
    },
    async [Symbol.asyncDispose]() {
      await it.stop()
      await partner.close()
    },
  }
}

const event = (id: string, channel: string) =>
  JSON.stringify({
    ...{ id, channel, reference: "r", site_url: `https://${id}.example`, name: "Shop", email },
    ...{ console_url: "https://console.example", created_at: "2030-01-02T03:04:05Z" },
  })

const numbered = (name: string, count: number) => Array.from({ length: count }, (_, n) => `${name}-${n}`)

test("on a running system everything is accounted for, and what is in flight is no exception", async () => {
  await using it = await startSystem()
  const [console, dispatcher, scheduler] = await Promise.all([
    it.start("console"),
    it.start("dispatcher"),
    it.start("scheduler"),
  ])
  await it.connect(numbered("source", 5))
  await it.connect(["failing"], "/down")
  await it.publishEvents([...numbered("shop", 30), ...numbered("shop", 10)])
  await it.publishEvents(numbered("waiting", 4), "down")
  await it.publishEvents(numbered("unknown", 3), "nobody")
  await it.publish([{ topic: it.names.sitePaid, key: null, value: "no JSON" }])
  await it.publishTriggers([...numbered("source", 5), "failing"])
  await waitUntil("deliveries and syncs", async () => {
    const delivered = await it.count("delivery where state = 'delivered'")
    const waiting = await it.count("delivery where attempts = 1 and state = 'pending'")
    return delivered === 30 && waiting === 4 && (await it.count("sync_run where outcome <> 'running'")) === 6
  })
  // Within the window, the next sync of each is pending.
  await it.publishTriggers(numbered("source", 5))
  await waitUntil("the triggers", async () => (await it.count("sync_window where requested = 2")) === 5)
  await waitUntil("the commits", async () => {
    const lags = await Promise.all([
      groupLag(it.kafka, `${it.topicPrefix}${groups.paid}`, [it.names.sitePaid]),
      groupLag(it.kafka, `${it.topicPrefix}${groups.triggers}`, [it.names.connectorTriggered]),
    ])
    return lags.flat().every(({ lag }) => lag === 0)
  })
  await Promise.all([dispatcher.end("SIGTERM"), scheduler.end("SIGTERM")])
  await it.publishEvents(numbered("later", 2))
  await it.publishTriggers(["failing"])

  const { code, stdout, stderr } = await it.reconcile(["--to", "now", "--json"], console.addresses.console)
  const job: Job = jobSchema.parse(JSON.parse(stdout))
  expect(job.counts).toEqual({
    ...{ events: 50, events_delivered: 40, events_pending: 4, events_invalid: 4, events_unconsumed: 2 },
    ...{ triggers: 12, triggers_covered: 5, triggers_pending: 6, triggers_unconsumed: 1, exceptions: 0 },
  })
  expect({ code, exceptions: job.exceptions, stderr }).toEqual({ code: 0, exceptions: [], stderr: "" })
})

test("events and triggers that were lost are named, without personal data, also after kill -9 of the console", async () => {
  await using it = await startSystem()
  const [dispatcher, scheduler] = await Promise.all([it.start("dispatcher"), it.start("scheduler")])
  await it.connect([...numbered("source", 4), "skipped", "stuck", "forgotten"])
  await it.publishEvents([...numbered("shop", 20), "deleted"])
  await it.publishTriggers([...numbered("source", 4), "stuck", "forgotten"])
  await waitUntil("deliveries and syncs", async () => {
    const delivered = await it.count("delivery where state = 'delivered'")
    return delivered === 21 && (await it.count("sync_run where outcome = 'changed'")) === 6
  })
  await Promise.all([dispatcher.end("SIGTERM"), scheduler.end("SIGTERM")])
  await it.publishEvents(["skipped"])
  await it.publishTriggers(["skipped"])
  await it.commitToEnd("paid")
  await it.commitToEnd("triggers")
  await it.sql("delete from delivery where event_id = 'deleted'")
  await it.sql("update sync_window set covered = 0 where connection_id = 'stuck'")
  await it.sql("delete from sync_run where connection_id = 'forgotten'")
  const restarted = await Promise.all([it.start("dispatcher"), it.start("scheduler")])
  expect(restarted).toHaveLength(2)

  const first = await it.start("console")
  const interrupted = it.reconcile([], first.addresses.console)
  await waitUntil("the first step", async () => (await it.count("job where counts ? 'events'")) === 1)
  await first.end("SIGKILL")
  expect((await interrupted).code).toBe(3)
  expect(await it.count("job where state = 'running'")).toBe(1)
  const console = await it.start("console")
  await waitUntil("its end", async () => (await it.count("job where state = 'done'")) === 1, 40_000)

  const { code, stdout, stderr } = await it.reconcile(["--json"], console.addresses.console)
  const { counts, exceptions } = jobSchema.parse(JSON.parse(stdout))
  expect(
    exceptions?.map(({ kind, event_id, connection }) => `${kind} ${event_id ?? connection}`).toSorted(),
  ).toEqual([
    "event_lost deleted",
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
    counts: expect.objectContaining({ events: 22, events_delivered: 20, triggers: 7, triggers_covered: 4 }),
    stderr: "",
  })
  const [resumed] = await it.sql<{ counts: object }>("select counts from job order by created_at limit 1")
  expect(resumed?.counts).toEqual(counts)
  const human = await it.reconcile([], console.addresses.console)
  expect(human).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^event_lost +\S*site\.paid +\d +\d+ +skipped /m),
  })
  expect(human.stdout + human.stderr + stdout + console.output()).not.toContain(email)
})
