import { type Job, sha256, siteReadyBody } from "@sitewire/contracts"
import { startTransaction } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { knowEvents } from "../../../test/fixtures/deliveries.ts"
import { commitAll, invalidRecord, type Jobs, startJobs } from "../../../test/fixtures/jobs.ts"

const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const hour = 3_600_000

const event = (id: string) => ({
  ...{ id, channel: "acme", reference: "r", site_url: "https://s.example", console_url: "https://c.example" },
  ...{ name: "Shop", email: "owner@shop.example", created_at: "2030-01-02T03:04:05Z" },
})

const publishEvents = (it: Jobs, ids: string[]) =>
  it.publish(ids.map((id) => ({ topic: it.names.sitePaid, key: id, value: JSON.stringify(event(id)) })))

/** Publishes a trigger that was accepted some time ago. */
const publishTriggers = (it: Jobs, connections: string[], acceptedAt: string) =>
  it.publish(
    connections.map((connection) => {
      const trigger = { connection, first_at: acceptedAt, last_at: acceptedAt, count: 1, correlation: "c" }
      return { topic: it.names.connectorTriggered, key: connection, value: JSON.stringify(trigger) }
    }),
  )

const findings = ({ exceptions }: Job) =>
  (exceptions ?? []).map(({ kind, event_id, connection }) => `${kind} ${event_id ?? connection}`).toSorted()

test("each event is a delivery, an invalid event or not consumed yet; any other is named", async () => {
  await using it = await startJobs()
  for (const state of ["pending", "delivered", "dead", "erased"] as const) {
    const [id] = await it.deliveries(1, {
      state,
      days: ["pending", "delivered", "dead", "erased"].indexOf(state),
    })
    const digest = sha256(siteReadyBody(event(`${state} one`)))
    await it.sql("update delivery set event_id = $2, body_sha256 = $3 where id = $1", [
      id,
      `${state} one`,
      state === "erased" ? "" : digest,
    ])
  }
  await knowEvents(it.sql)
  await publishEvents(it, ["pending one", "delivered one", "delivered one", "dead one", "erased one"])
  await publishEvents(it, ["invalid one", "lost one"])
  const other = JSON.stringify({ ...event("dead one"), reference: "another" })
  await it.publish([{ topic: it.names.sitePaid, key: "dead one", value: other }])
  await it.publish([{ topic: it.names.sitePaid, key: null, value: "no JSON" }])
  await commitAll(it, "paid")
  await publishEvents(it, ["unconsumed one"])
  const all = await it.readTopic(it.names.sitePaid)
  const invalid = all.find(({ key }) => key === "invalid one")
  const noJson = all.find(({ key }) => key === null)
  const lost = all.find(({ key }) => key === "lost one")
  for (const record of [invalid, noJson]) {
    const { headers = {}, ...copy } = invalidRecord(it, { key: null, value: null, reason: "unknown channel" })
    const origin = {
      "sitewire-topic": it.names.sitePaid,
      "sitewire-partition": String(record?.partition),
      "sitewire-offset": String(record?.offset),
    }
    await it.publish([{ ...copy, headers: { ...headers, ...origin } }])
  }

  const { id } = await it.begin("reconcile", { created_after: ago(hour) })
  const job = await it.end(id)
  expect(job).toMatchObject({ state: "done", reason: "not given", per_second: null })
  expect(job.counts).toEqual({
    ...{ events: 10, events_pending: 1, events_delivered: 2, events_dead: 2, events_erased: 1 },
    ...{ events_invalid: 2, events_unconsumed: 1, events_differing: 1, triggers: 0, exceptions: 1 },
  })
  expect(job.exceptions).toEqual([
    {
      ...{ kind: "event_lost", topic: it.names.sitePaid, partition: lost?.partition, offset: lost?.offset },
      ...{
        event_id: "lost one",
        connection: null,
        published_at: new Date(lost?.appendedAt ?? 0).toISOString(),
      },
    },
  ])
  const differing = all.findLast(({ key }) => key === "dead one")
  expect(job.differing).toEqual([
    {
      ...{ topic: it.names.sitePaid, partition: differing?.partition, offset: differing?.offset },
      ...{ event_id: "dead one", published_at: new Date(differing?.appendedAt ?? 0).toISOString() },
    },
  ])
  const before = { created_after: ago(2 * hour), created_before: ago(hour) }
  const earlier = await it.begin("reconcile", before)
  expect((await it.end(earlier.id)).counts).toEqual({ events: 0, triggers: 0, exceptions: 0 })

  await it.closeRunners()
  await it.run({ retentionMs: 600_000 })
  const recent = await it.begin("reconcile", { created_after: ago(300_000) })
  const { counts, exceptions } = await it.end(recent.id)
  expect({ expired: counts.events_expired, exceptions }).toEqual({ expired: 3, exceptions: [] })
})

test("events behind an open transaction are not consumed, and the transaction is named", async () => {
  await using it = await startJobs()
  const topic = it.names.sitePaid
  const open = await startTransaction(topic, [JSON.stringify(event("in the transaction"))])
  await publishEvents(it, ["a", "b", "c", "d", "e", "f", "g", "h"])
  const job = await it.complete("reconcile", { created_after: ago(hour) })
  expect(job.counts).toEqual({ events: 9, events_unconsumed: 9, triggers: 0, exceptions: 0 })
  const since = Date.parse(job.open_transactions?.[0]?.since ?? "")
  expect(Date.now() - since).toBeLessThan(hour)
  expect(job.open_transactions).toMatchObject([{ topic, partition: 0, first_offset: "0" }])
  expect(job.open_transactions?.[0]?.records).toBeGreaterThan(1)
  await open.end("abort")
})

test("each trigger is covered, pending or not consumed yet; any other is named", async () => {
  await using it = await startJobs()
  const ids = ["covered", "earlier-sync", "failed", "no-window", "unscheduled", "due", "overdue", "host-down"]
  await it.addConnections([...ids, "recreated", "unread"].map((id) => ({ id, source: "https://a.example" })))
  const acceptedAt = ago(600_000)
  await it.sql("update connection set created_at = now() - interval '1 day' where id <> 'recreated'")
  const window = (
    id: string,
    requested: number,
    covered: number,
    dueAt: string | null,
    host: string | null = null,
  ) =>
    it.sql(
      `insert into sync_window (connection_id, requested, covered, due_at, waiting_for_host) values ($1, $2, $3, $4, $5)`,
      [id, requested, covered, dueAt, host],
    )
  const run = (id: string, fence: number, outcome: string, lastTriggerAt: string) =>
    it.sql(
      `insert into sync_run (connection_id, fence, started_at, triggers, outcome, last_trigger_at)
       values ($1, $2, now(), 1, $3::sync_outcome, $4)`,
      [id, fence, outcome, lastTriggerAt],
    )
  await window("covered", 5, 5, null)
  await run("covered", 1, "unchanged", acceptedAt)
  await run("covered", 2, "failed", ago(0))
  await window("earlier-sync", 5, 5, null)
  await run("earlier-sync", 1, "changed", ago(601_000))
  await window("failed", 5, 4, ago(-60_000))
  await run("failed", 1, "failed", acceptedAt)
  await window("unscheduled", 5, 0, null)
  await run("unscheduled", 1, "changed", acceptedAt)
  await window("due", 5, 4, ago(1_000))
  await window("overdue", 5, 4, ago(310_000))
  await window("host-down", 5, 4, ago(310_000), "a.example")
  await publishTriggers(it, [...ids, "recreated", "deleted"], acceptedAt)
  await it.publish(
    [
      "{}",
      JSON.stringify({
        connection: "\0",
        first_at: acceptedAt,
        last_at: acceptedAt,
        count: 1,
        correlation: "",
      }),
    ].map((value) => ({ topic: it.names.connectorTriggered, key: "x", value })),
  )
  await commitAll(it, "triggers")
  await publishTriggers(it, ["unread"], acceptedAt)

  const { id } = await it.begin("reconcile", { created_after: ago(hour) })
  const job = await it.end(id)
  expect(findings(job)).toEqual([
    "sync_not_scheduled unscheduled",
    "sync_overdue overdue",
    "trigger_not_synced earlier-sync",
    "trigger_not_synced no-window",
  ])
  expect(job.counts).toEqual({
    ...{ events: 0, triggers: 13, triggers_covered: 1, triggers_pending: 3, triggers_unconsumed: 1 },
    ...{ triggers_without_connection: 2, triggers_invalid: 2, exceptions: 4 },
  })
  // A later trigger stands for those that compaction has deleted.
  const earlier = { created_after: ago(2 * hour), created_before: ago(hour) }
  const other = await it.end((await it.begin("reconcile", earlier)).id)
  expect(other.counts).toEqual({ triggers: 0, events: 0, later_triggers: 13, exceptions: 4 })
})

test("an event that was published several times and is lost is one exception", async () => {
  await using it = await startJobs()
  await publishEvents(it, ["lost one", "lost two", "lost one"])
  await publishEvents(it, ["lost one"])
  await commitAll(it, "paid")
  const { id } = await it.begin("reconcile", { created_after: ago(hour) })
  const job = await it.end(id)
  expect(findings(job)).toEqual(["event_lost lost one", "event_lost lost two"])
  expect(job.counts).toEqual({
    ...{ events: 4, events_invalid: 0, events_repeated: 2, triggers: 0, exceptions: 2 },
  })
})
