import { invalidRecordHeaders } from "@sitewire/contracts"
import type { Installation } from "@sitewire/testkit/installation"

const minuteMs = 60_000
const dayMs = 86_400_000

/** As far as the API reads the positions of jobs that are done. */
const positions = {
  resend: { perSecond: 50 },
  replay: { perSecond: 20 },
  erasure: {},
  reconcile: { ranges: null, unresolved: [], invalid: null, exceptions: [] },
}

/** What operators have done, and what was rejected. */
export async function fillActions(it: Installation, now: number): Promise<void> {
  const ago = (ms: number) => new Date(now - ms)
  const jobs = [
    [
      "job_3f1c",
      "resend",
      "done",
      { channel: "globex", state: "dead" },
      "INC-2291",
      { resent: 1_204, left_out: 2 },
      2,
    ],
    [
      "job_8a20",
      "replay",
      "done",
      { reason: "unknown channel" },
      "umbrella was created late",
      { read: 44, replayed: 31, left_out: 0 },
      3,
    ],
    [
      "job_c04d",
      "erasure",
      "done",
      { email_digest: "6b1f…e2" },
      "request 8812",
      { scanned: 4_182, deliveries_erased: 3, excerpts_erased: 1 },
      5,
    ],
    [
      "job_e7b9",
      "reconcile",
      "done",
      {},
      "after the failover",
      { events: 48_210, events_delivered: 48_210, triggers: 9_114, triggers_covered: 9_114, exceptions: 0 },
      6,
    ],
  ] as const
  for (const [id, kind, state, filter, reason, counts, days] of jobs)
    await it.sql(
      `insert into job (id, kind, state, filter, reason, requested_by, counts, created_at, finished_at, position)
       values ($1, $2::job_kind, $3::job_state, $4, $5, 'key_ops (operations)', $6, $7, $8, $9)`,
      [
        id,
        kind,
        state,
        filter,
        reason,
        counts,
        ago(days * dayMs),
        ago(days * dayMs - 40_000),
        JSON.stringify(positions[kind]),
      ],
    )
  const incidents = [
    ["channel.failing", "globex", 412, 5_760, 190, "The partner repairs its server (INC-2291)."],
    ["channel.failing", "acme", 17, 11_520, 12, null],
    ["topic.behind", "site.paid", 9_114, 8_640, 41, "A node of Kafka was replaced."],
    ["certificate.expiring", "northwind", null, 20_160, 4_320, null],
  ] as const
  for (const [index, [kind, subject, count, began, lasted, note]] of incidents.entries())
    await it.sql(
      `insert into incident (id, kind, subject_id, details, max_count, since, created_at, resolved_at, closed_at,
                             acknowledged_at, acknowledged_by, note)
       values ($1, $2, $3, '{}', $4, $5, $5, $6, $6, $7, $8, $9)`,
      [
        `inc_${index}`,
        kind,
        subject,
        count,
        ago(began * minuteMs),
        ago((began - lasted) * minuteMs),
        ...(note === null ? [null, null] : [ago((began - 5) * minuteMs), "key_ops (operations)"]),
        note,
      ],
    )
  const entries = [
    ["changeChannel", "channel", "northwind", { max_per_second: { old: null, new: 5 } }, 34],
    [
      "stageSecret",
      "channel",
      "northwind",
      { other_secret: { old: null, new: { id: "sec_northwind_2", state: "staged" } } },
      31,
    ],
    ["pauseChannel", "channel", "initech", { paused_at: { old: null, new: ago(120 * minuteMs) } }, 120],
    ["revealDelivery", "delivery", "0197a3c1-6d0e-7c3b-9a51-3f1f6c1d2e4b", {}, 190],
    ["replaceConnectionToken", "connection", "bakery-products", {}, 420],
    [
      "createResendJob",
      "job",
      "job_3f1c",
      { kind: { old: null, new: "resend" }, reason: { old: null, new: "INC-2291" } },
      2_880,
    ],
  ] as const
  for (const [index, [operation, kind, target, changes, minutes]] of entries.entries())
    await it.sql(
      `insert into audit_entry (id, created_at, key_id, key_name, operation, target_kind, target_id, changes, request_id)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
      [
        `aud_${index}`,
        ago(minutes * minuteMs),
        ...(index === 3 ? ["key_rtl", "مطورو أكمي"] : ["key_ops", "operations"]),
        operation,
        kind,
        target,
        changes,
        `req_${index}4c1f0a`,
      ],
    )
  const { reason, topic, partition, offset } = invalidRecordHeaders
  const invalid = [
    ["unknown channel", "hooli", "evt_2026_039001"],
    ["unknown channel", "hooli", "evt_2026_039044"],
    ["email must be an e-mail address; site_url must be a URL", "acme", "evt_2026_039107"],
    ["not JSON", null, null],
  ] as const
  await it.publish(
    invalid.map(([why, channel, id], index) => ({
      topic: it.names.sitePaidInvalid,
      key: id ?? "unreadable",
      value: Buffer.from(id === null ? "{" : JSON.stringify({ id, channel })),
      headers: { [reason]: why, [topic]: "site.paid", [partition]: "3", [offset]: String(1_024 + index) },
    })),
  )
}
