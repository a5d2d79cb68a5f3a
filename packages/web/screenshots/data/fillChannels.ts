import type { Installation } from "@sitewire/testkit/installation"

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export const longId = "the-website-builders-collective-of-greater-manchester-sandbox-02"

const channels = [
  { id: "acme", address: "https://hooks.acme.example/sitewire", ageDays: 240 },
  { id: "northwind", address: "https://integrations.northwind.example/v2/site-ready", ageDays: 120 },
  { id: "globex", address: "https://api.globex.example/webhooks/incoming", ageDays: 87 },
  { id: "initech", address: "https://partners.initech.example/notify", ageDays: 60 },
  {
    id: longId,
    address: `https://${longId}.partners.example/webhooks/v1/sites/ready/notifications`,
    ageDays: 12,
  },
  { id: "umbrella", address: "https://umbrella.example/sites", ageDays: 3 },
]

export async function fillChannels(it: Installation, now: number): Promise<void> {
  for (const { id, address, ageDays } of channels) {
    await it.addChannel({ id, address, secret: `secret-of-${id}` })
    const createdAt = new Date(now - ageDays * dayMs)
    await it.sql("update channel set created_at = $2, updated_at = $2 where id = $1", [id, createdAt])
  }
  await it.sql("update channel set paused_at = $1 where id = 'initech'", [new Date(now - 2 * hourMs)])
  await it.sql("update channel set max_per_second = 5 where id = 'northwind'")
  await it.sql("update channel set partner_may_change_address = true where id = 'acme'")
  await it.sql(
    `update channel set other_secret_id = 'sec_northwind_2', other_secret_sealed = secret_sealed,
            other_secret_state = 'staged', other_secret_since = now() where id = 'northwind'`,
  )
  // They were seen in the future, so that they count as running although none is.
  const seenAt = new Date(now + hourMs)
  for (const dispatcher of ["dsp_5b1f0c9e", "dsp_a07c44d2"])
    await it.sql("insert into dispatcher (id, started_at, seen_at) values ($1, $2, $3)", [
      dispatcher,
      new Date(now - 5 * hourMs),
      seenAt,
    ])
  const status = `insert into channel_status
    (channel_id, dispatcher_id, breaker_opened_at, failures, concurrency_limit, in_flight, average_ms)
    values ($1, $2, $3, $4, $5, $6, $7)`
  const opened = new Date(now - 47 * 60_000)
  await it.sql(status, ["globex", "dsp_5b1f0c9e", opened, 58, 1, 0, 212])
  await it.sql(status, ["globex", "dsp_a07c44d2", new Date(opened.getTime() + 90_000), 51, 1, 1, 198])
  await it.sql("insert into channel_failure values ('globex', $1, 3, now(), 'status', 503)", [opened])
  await it.sql(status, ["northwind", "dsp_5b1f0c9e", null, 0, 4, 4, 3_840])
}
