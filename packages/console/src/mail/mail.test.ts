import { once } from "node:events"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { createMetrics } from "@sitewire/runtime"
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from "vitest"
import { insertDeliveries } from "../../test/fixtures/deliveries.ts"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import { startSmtpServer } from "../../test/fixtures/startSmtpServer.ts"
import { claimContact } from "./contactMail.ts"
import { createRound } from "./createRound.ts"
import { openMailer } from "./openMailer.ts"

let console: TestConsole
beforeAll(async () => {
  console = await startConsole()
})
afterAll(() => console.close())
afterEach(async () => {
  for (const table of [
    "incident",
    "mail_recipient",
    "channel",
    "waiting_delivery",
    "delivery",
    "attempt",
    "statistic",
  ])
    await sql(`delete from ${table}`)
  const output = console.log.splice(0).join("")
  expect(output).not.toMatch(/@[a-z]+\.example|hidden/)
})

const sql = <Row extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
  console.pool.sql<Row>(text, values)
const logged = () =>
  console.log.map((line) => JSON.parse(line)).filter(({ msg }) => /e-mail/.test(String(msg)))

async function smtp(options?: Parameters<typeof startSmtpServer>[0]) {
  const server = await startSmtpServer(options)
  onTestFinished(server.close)
  return server
}

type Sender = { operators?: string[]; url?: string; timeouts?: { stepMs: number; mailMs: number } }

/** What one console does every ten seconds. */
function sender(port: number, { operators = [], url, timeouts }: Sender = {}) {
  const config = {
    SMTP_URL: url ?? `smtp://127.0.0.1:${port}`,
    SMTP_FROM: "webhooks@sitewire.example",
    OPERATOR_EMAILS: operators,
  }
  const mailer = openMailer(config, timeouts)
  if (!mailer) throw new Error("no mailer")
  const metrics = createMetrics("console")
  const round = createRound({ ...context(), mailer, operators, metrics, log: console.logger })
  const { signal } = new AbortController()
  return Object.assign(() => round(signal), { metrics })
}

const context = () => ({
  sql: console.pool.sql,
  retryPeriodMs: 6 * 3_600_000,
  afterMs: 15 * 60_000,
  origin: "https://console.example",
})

async function channel(id: string, contact = "hooks@partner.example"): Promise<void> {
  const body = { id, address: `https://${id}.partner.example/hook?token=hidden`, contact }
  expect((await console.call("POST", "/v1/channels", { body })).status).toBe(201)
}

async function begin(kind: string, subjects: string[], ago = "16 minutes"): Promise<void> {
  await sql(
    `insert into incident (id, kind, subject_id, details, since, created_at)
     select gen_random_uuid()::text, $1, id, '{"reason": "HTTP 503", "waiting": 1, "dead": 0}', now() - $3::interval, now() - $3::interval from unnest($2::text[]) as id`,
    [kind, subjects, ago],
  )
}
const fail = (...channels: string[]) => begin("channel.failing", channels)
const resolve = () =>
  sql("update incident set resolved_at = now(), closed_at = now() where closed_at is null")

/** As if so much time, and a second for what is rounded, had passed since the last e-mail or attempt. */
const pass = (minutes: number) =>
  sql("update mail_recipient set next_at = next_at - $1 * interval '1 minute' - interval '1 second'", [
    minutes,
  ])

async function attempted(id: string, outcome: "last_success" | "last_failure", ago: string): Promise<void> {
  await sql(
    `insert into statistic (channel_id, started_at, deliveries, attempts, latency, deferred, ${outcome})
     values ($1, now() - $2::interval, 1, '{}', '{}', '{}', gen_random_uuid())`,
    [id, ago],
  )
}

test("a thousand failing channels with one contact are one e-mail, which describes the first and counts the others", async () => {
  await channel("c0000")
  await channel("other", "somebody.else@partner.example")
  await sql(
    `with made as (
       insert into channel (id, address, secret_id, secret_sealed, updated_at)
       select 'c' || lpad(n::text, 4, '0'), 'https://x.partner.example/', 's', '', now() from generate_series(1, 999) n returning id
     )
     insert into channel_contact (channel_id, address, digest)
     select made.id, address, digest from made, channel_contact where channel_id = 'c0000'`,
  )
  const failing = (await sql<{ id: string }>("select id from channel where id <> 'other'")).map(
    ({ id }) => id,
  )
  await fail(...failing)
  const server = await smtp()
  const round = sender(server.port)
  await round()
  await round()
  expect(server.mails).toHaveLength(1)
  const [mail] = server.mails
  expect(mail?.to).toEqual(["hooks@partner.example"])
  expect(mail?.headers).toContain("Subject: Webhooks: 1000 of your channels do not accept deliveries")
  expect(mail?.text.match(/^Your endpoint for the channel c000\d has not accepted/gm)).toHaveLength(10)
  expect(mail?.text).toMatch(/Also failing: c0010, c0011, .*, c0059, and 940 more\./s)
  await pass(60)
  await round()
  expect(server.mails).toHaveLength(1)
})

test("what changes within an hour of an e-mail is one more e-mail after this hour", async () => {
  for (const id of ["a", "b", "c"]) await channel(id)
  const server = await smtp()
  const round = sender(server.port)
  await fail("a")
  await round()
  await fail("b")
  await round()
  await fail("c")
  await pass(59)
  await round()
  expect(server.mails).toHaveLength(1)
  await pass(1)
  await round()
  await round()
  expect(server.mails).toHaveLength(2)
  expect(server.mails[1]?.text).toMatch(/channel b .*channel c /s)
  expect(server.mails[1]?.text).not.toContain("channel a ")
})

test("two consoles at once send one e-mail, also while the server has not responded to the first", async () => {
  await channel("acme")
  await fail("acme")
  const received = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  let count = 0
  const server = await smtp({
    onData(stream, _, done) {
      count++
      stream.resume()
      received.resolve()
      void release.promise.then(() => done())
    },
  })
  const [first, second] = [sender(server.port), sender(server.port)]
  const slow = first()
  await received.promise
  await second()
  release.resolve()
  await slow
  await Promise.all([first(), second()])
  expect(count).toBe(1)
})

test("an e-mail that was sent and not recorded comes once more after two minutes, and not in between", async () => {
  await channel("acme")
  await fail("acme")
  const server = await smtp()
  const round = sender(server.port)
  await sql(`create function reject_settling() returns trigger language plpgsql as $$ begin
    if new.attempts = 0 then raise exception 'the database is read-only'; end if; return new; end $$`)
  await sql(
    "create trigger reject before update on mail_recipient for each row execute function reject_settling()",
  )
  onTestFinished(async () => void (await sql("drop function reject_settling cascade")))
  await expect(round()).rejects.toThrow("read-only")
  expect(server.mails).toHaveLength(1)
  await sql("drop trigger reject on mail_recipient")
  await round()
  expect(server.mails).toHaveLength(1)
  await pass(2)
  await round()
  expect(server.mails).toHaveLength(2)
  await pass(60)
  await round()
  expect(server.mails).toHaveLength(2)
})

test("a console that is killed before it sends loses no e-mail: another sends it after two minutes", async () => {
  await channel("acme")
  await fail("acme")
  const server = await smtp()
  const round = sender(server.port)
  expect(await claimContact(context())).toMatchObject({ attempts: 1 })
  await round()
  expect(server.mails).toHaveLength(0)
  await pass(2)
  await round()
  expect(server.mails).toHaveLength(1)
})

test("a server that hangs, or that sends a byte now and then, is left, and the e-mail is sent later", async () => {
  await channel("acme")
  await fail("acme")
  const closed: Promise<unknown>[] = []
  const hanging = async (onConnection: (socket: Socket) => void) => {
    const server = createServer((socket) => {
      socket.on("error", () => {})
      closed.push(once(socket, "close"))
      socket.resume()
      onConnection(socket)
    })
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    onTestFinished(() => void server.close())
    return (server.address() as AddressInfo).port
  }
  const silent = await hanging(() => {})
  const dripping = await hanging((socket) => {
    const timer = setInterval(() => socket.write("2"), 20)
    socket.on("close", () => clearInterval(timer))
  })
  await sender(silent, { timeouts: { stepMs: 200, mailMs: 60_000 } })()
  await pass(2)
  await sender(dripping, { timeouts: { stepMs: 60_000, mailMs: 300 } })()
  await Promise.all(closed)
  expect(closed).toHaveLength(2)
  expect(logged()).toMatchObject([
    { level: "warn", kind: "contact", attempt: 1, why: "ETIMEDOUT" },
    { level: "warn", kind: "contact", attempt: 2 },
  ])
  const server = await smtp()
  await pass(3)
  await sender(server.port)()
  expect(server.mails).toHaveLength(0)
  await pass(1)
  await sender(server.port)()
  expect(server.mails).toHaveLength(1)
})

test("a rejected login is tried ten times, then given up, which a log line and a metric state without the address", async () => {
  await channel("acme")
  await fail("acme")
  const server = await smtp({
    authOptional: false,
    onAuth: ({ username }, _, done) => done(new Error(`no ${username}, hooks@partner.example`)),
  })
  const round = sender(server.port, { url: `smtp://user%40x:hid%3Adenhidden@127.0.0.1:${server.port}` })
  for (let attempt = 1; attempt <= 12; attempt++) {
    await round()
    await pass(60)
  }
  expect(server.mails).toEqual([])
  const lines = logged()
  expect(lines).toHaveLength(10)
  expect(lines.slice(0, 9).every(({ level, why }) => level === "warn" && why === "EAUTH 535")).toBe(true)
  expect(lines[9]).toMatchObject({
    level: "error",
    attempt: 10,
    msg: "an e-mail could not be sent; it is given up",
  })
  const metrics = await round.metrics.metrics()
  expect(metrics).toMatch(/sitewire_mails_total\{to="contact",outcome="failed",service="console"\} 9/)
  expect(metrics).toMatch(/sitewire_mails_total\{to="contact",outcome="given_up",service="console"\} 1/)
  expect(metrics).not.toContain("@")
})

test("an address that the server rejects delays nobody else's e-mail", async () => {
  await channel("a", "nobody@partner.example")
  await channel("b")
  await fail("a", "b")
  const server = await smtp({
    onRcptTo: ({ address }, _, done) =>
      done(address.startsWith("nobody") ? new Error(`${address} is unknown`) : undefined),
  })
  await sender(server.port)()
  expect(server.mails.map(({ to }) => to)).toEqual([["hooks@partner.example"]])
  expect(logged()).toMatchObject([{ level: "warn", why: "EENVELOPE 550" }])
})

test("a password is sent by TLS only, and nothing is sent to a server whose certificate is not trusted", async () => {
  await channel("acme")
  await fail("acme")
  const logins: unknown[] = []
  const onAuth = (login: object, _: unknown, done: (error: Error) => void) => {
    logins.push(login)
    done(new Error("no"))
  }
  const plain = await smtp({ onAuth })
  // A loopback address that is not recognised as one.
  const url = (port: number) => `smtp://user:hidden@[::ffff:127.0.0.1]:${port}`
  await sender(plain.port, { url: url(plain.port) })()
  await pass(2)
  const untrusted = await smtp({ onAuth, disabledCommands: [] })
  await sender(untrusted.port, { url: url(untrusted.port) })()
  expect(logged()).toHaveLength(2)
  expect([logins, plain.mails, untrusted.mails]).toEqual([[], [], []])
})

test("a contact is told of a recovery once, when attempts succeed again, and of what is dead", async () => {
  await channel("acme")
  const server = await smtp()
  const round = sender(server.port)
  await fail("acme")
  await round()
  // Nothing waits any more, because all is dead.
  await sql("update channel_contact set told_failing_at = now() - interval '2 hours'")
  await attempted("acme", "last_success", "100 minutes")
  await attempted("acme", "last_failure", "90 minutes")
  await resolve()
  await pass(60)
  await round()
  expect(server.mails).toHaveLength(1)
  await insertDeliveries(console.pool.sql, 3, { channel: "acme", state: "dead" })
  await attempted("acme", "last_success", "5 minutes")
  await round()
  await pass(60)
  await round()
  expect(server.mails).toHaveLength(2)
  const [, recovered] = server.mails
  expect(recovered?.headers).toContain("Subject: Webhooks: your endpoint accepts deliveries again")
  expect(recovered?.text).toContain("Your endpoint for the channel acme accepts our deliveries again.")
  expect(recovered?.text).toContain(
    "3 deliveries are dead: they are not sent again by themselves. Now that your endpoint works, resend them, or tell us.",
  )
  // It fails again.
  await fail("acme")
  await pass(60)
  await round()
  expect(server.mails).toHaveLength(3)
})

test("a contact is told only of what has lasted, of dead deliveries once, and of nothing while its channel is paused", async () => {
  for (const id of ["short", "paused", "died"]) await channel(id)
  await console.call("POST", "/v1/channels/paused/pause")
  await begin("channel.failing", ["short"], "14 minutes")
  await fail("paused")
  const server = await smtp()
  const round = sender(server.port)
  await round()
  expect(server.mails).toHaveLength(0)
  await begin("delivery.dead", ["died"], "2 minutes")
  await round()
  await pass(60)
  await round()
  expect(server.mails).toHaveLength(1)
  expect(server.mails[0]?.text).toContain("channel died ")
  await sql("update incident set created_at = created_at - interval '2 minutes'")
  await round()
  expect(server.mails).toHaveLength(2)
  expect(server.mails[1]?.text).toContain("channel short ")
  expect(server.mails[1]?.text).not.toContain("channel paused ")
})

test("an e-mail has the words of the page, and no secret, no customer's address and no header of somebody else", async () => {
  await channel("acme")
  const body = JSON.stringify({ reference: "user-4711", email: "owner@shop.example" })
  const [id = ""] = await insertDeliveries(console.pool.sql, 1, {
    channel: "acme",
    body,
    state: "pending",
    days: 0.01,
  })
  await sql(
    `insert into attempt (delivery_id, number, started_at, duration_ms, status, error, secret_id, response_excerpt, url)
     values ($1, 1, now() - interval '2 minutes', 1, 503, 'status', 's', $2, 'https://acme.partner.example/hook?token=hidden')`,
    [id, Buffer.from("down for owner@shop.example\r\n.\r\nBcc: x@y.example\u001b[2J")],
  )
  await sql(
    `insert into channel_failure (channel_id, since, failures, last_failed_at, last_error)
     values ('acme', now(), 3, now(), 'status')`,
  )
  await fail("acme")
  const server = await smtp()
  await sender(server.port)()
  const [mail] = server.mails
  expect(mail?.text).toMatch(/^Your endpoint for the channel acme does not accept our deliveries\.\n/)
  expect(mail?.text).toContain("Endpoint: https://acme.partner.example/hook?…\n")
  expect(mail?.text).toMatch(/Last failure: \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC: HTTP 503\n/)
  expect(mail?.text).toContain("Your response: down for o***@shop.example\n.\nBcc: x***@y.example[2J")
  expect(mail?.text).toContain(`An example: X-Sitewire-Delivery ${id}, reference user-4711\n`)
  expect(mail?.text).toContain("1 delivery waits for another attempt, which follows by itself.\n")
  expect(mail?.text).toContain("A delivery that you do not accept within 6 hours is dead")
  expect(mail?.text).toContain("Details: https://console.example/channels/acme")
  const everything = `${mail?.headers}${mail?.text}`
  for (const hidden of ["hidden", "owner@", "x@y", "\u001b"]) expect(everything).not.toContain(hidden)
  expect(mail?.headers).not.toMatch(/^bcc/im)
  expect(mail?.headers).toMatch(/^From: webhooks@sitewire\.example\r$/m)
  expect(mail?.headers).toMatch(/^Auto-Submitted: auto-generated\r$/m)
})

test("line breaks in an address or a subject add neither a header nor a recipient", async () => {
  const server = await smtp()
  const mailer = openMailer({
    SMTP_URL: `smtp://127.0.0.1:${server.port}`,
    SMTP_FROM: "a@b.example",
    OPERATOR_EMAILS: [],
  })
  const injected = "\r\nBcc: victim@z.example\r\nX-Added: 1"
  await mailer?.({ to: [`c@d.example${injected}`], subject: `s${injected}`, text: "t" })
  await mailer?.({ to: ["c@d.example"], subject: `s${injected}`, text: "t" })
  expect(server.mails.length).toBeGreaterThan(0)
  for (const { headers, to } of server.mails) {
    expect(headers).not.toMatch(/^(bcc|x-added)/im)
    expect(to).not.toContain("victim@z.example")
  }
})

test("operators get one e-mail of all incidents, and an hour later one of what has changed", async () => {
  const ids = Array.from({ length: 25 }, (_, n) => `c${n}`)
  await begin("channel.failing", ids, "2 minutes")
  await begin("connection.failing", ["too-new.example"], "10 seconds")
  await sql(
    `insert into incident (id, kind, subject_id, details, since, created_at, closed_at)
     values ('old', 'channel.failing', 'old', '{}', now(), now() - interval '2 days', now() - interval '25 hours')`,
  )
  const operators = ["a@ops.example", "b@ops.example"]
  const server = await smtp()
  const round = sender(server.port, { operators })
  await Promise.all([round(), round()])
  expect(server.mails).toHaveLength(1)
  const [mail] = server.mails
  expect(mail?.to).toEqual(operators)
  expect(mail?.headers).toContain("Subject: Webhooks: 25 incidents, 0 resolved")
  expect(
    mail?.text.match(
      /^Deliveries to the channel c\d+ fail\. HTTP 503\. 1 delivery waits\.\n {2}since \S+\n {2}next: See why/gm,
    ),
  ).toHaveLength(20)
  expect(mail?.text).toContain("And 5 more: sitewire incident list")
  expect(mail?.text).not.toMatch(/too-new|old/)
  await sql("update incident set resolved_at = now(), closed_at = now() where subject_id in ('c1', 'c2')")
  await round()
  expect(server.mails).toHaveLength(1)
  await pass(60)
  await round()
  await pass(60)
  await round()
  expect(server.mails).toHaveLength(2)
  expect(server.mails[1]?.headers).toContain("Subject: Webhooks: 0 incidents, 2 resolved")
  expect(server.mails[1]?.text).toContain("Resolved: Deliveries to the channel c1 no longer fail")
})

test("operators are told of incidents without messages too, and of an acknowledged one only its end, if they know it", async () => {
  await begin("topic.missing", ["sites.paid"], "2 minutes")
  await begin("channel.failing", ["known", "*"], "2 minutes")
  await sql("update incident set details = '{\"incidents\": 7}' where subject_id = '*'")
  const acknowledge = (id: string) =>
    sql(
      "update incident set acknowledged_at = now(), acknowledged_by = 'me', note = 'n' where subject_id = $1",
      [id],
    )
  await begin("channel.paused", ["unknown"], "2 minutes")
  await acknowledge("unknown")
  const server = await smtp()
  const round = sender(server.port, { operators: ["a@ops.example"] })
  await round()
  expect(server.mails[0]?.headers).toContain("Subject: Webhooks: 3 incidents, 0 resolved")
  const text = server.mails[0]?.text
  expect(text).toContain("The topic sites.paid does not exist.")
  expect(text).toContain("Deliveries to the channel known fail.")
  expect(text).toContain("7 more, which are not listed one by one.")
  expect(text).not.toContain("unknown")
  await acknowledge("known")
  await pass(60)
  await round()
  expect(server.mails).toHaveLength(1)
  await resolve()
  await round()
  expect(server.mails).toHaveLength(2)
  expect(server.mails[1]?.headers).toContain("Subject: Webhooks: 0 incidents, 3 resolved")
  expect(server.mails[1]?.text).toContain("Resolved: Deliveries to the channel known no longer fail")
  expect(server.mails[1]?.text).not.toContain("unknown")
})

test("if the server rejects one operator's address, the others get their e-mail once, and a log line says so", async () => {
  await begin("channel.failing", ["acme"], "2 minutes")
  const server = await smtp({
    onRcptTo: ({ address }, _, done) => done(address.startsWith("a@") ? new Error("unknown") : undefined),
  })
  const round = sender(server.port, { operators: ["a@ops.example", "b@ops.example"] })
  await round()
  await pass(60)
  await round()
  expect(server.mails.map(({ to }) => to)).toEqual([["b@ops.example"]])
  expect(logged()).toMatchObject([{ level: "warn", kind: "operators", rejected: 1 }])
})

test("without SMTP_URL there is no mailer, and half of a configuration is rejected", () => {
  const none = { SMTP_URL: undefined, SMTP_FROM: undefined, OPERATOR_EMAILS: [] }
  expect(openMailer(none)).toBeNull()
  for (const half of [
    { SMTP_FROM: "a@b.example" },
    { SMTP_URL: "smtp://h" },
    { OPERATOR_EMAILS: ["a@b.example"] },
  ])
    expect(() => openMailer({ ...none, ...half })).toThrow("SMTP_URL and SMTP_FROM must be set together")
})
