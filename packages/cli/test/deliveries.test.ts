import type { Channel, CreatedChannel, Delivery, DeliveryWithAttempts, Page } from "@sitewire/contracts"
import { standardWebhooksSecret, verify } from "@sitewire/signing/sender"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runCommand, runJson } from "./fixtures/runCommand.ts"
import { startSystem } from "./fixtures/startSystem.ts"

let system: Awaited<ReturnType<typeof startSystem>>

// The partner accepts deliveries; /failing responds with 500 and control characters.
beforeAll(async () => {
  system = await startSystem(
    ({ path }, response) =>
      path === "/failing"
        ? response.writeHead(500).end("\u001b[2Jno\nline two")
        : response.writeHead(204).end(),
    {},
    { services: ["dispatcher"] },
  )
})
afterAll(() => system?.stop())

const run = (...args: string[]) => runCommand(args, { env: system.cliEnv })
const json = <T>(...args: string[]) => runJson<T>(args, { env: system.cliEnv })

// These wait for several intervals, so they run at the same time.
test.concurrent("a published event is delivered, and `delivery show` prints its attempts", async () => {
  const { signing_secret: secret } = await json<{ signing_secret: string }>(
    ...`channel create --id sales --address ${system.partner.url}/sales`.split(" "),
  )
  const published = await run(
    "publish",
    "site.paid",
    "--channel",
    "sales",
    "--id",
    "event-1",
    "--name",
    "Bäckerei",
  )
  expect(published).toMatchObject({ code: 0, stdout: expect.stringMatching(/^event: +event-1\n/) })
  expect(published.stdout).toContain("acks=all")

  const received = await waitUntil("the delivery to arrive", () =>
    system.partner.received.find(({ path }) => path === "/sales"),
  )
  const header = String(received.headers["x-sitewire-signature"])
  const verified = await runCommand(["verify", "--secret-env", "S", "--header", header], {
    input: received.body,
    env: { S: secret },
  })
  expect(verified).toMatchObject({ code: 0 })

  const delivery = await waitUntil("the delivery to be recorded", async () => {
    const { data } = await json<Page<Delivery>>(
      "delivery",
      "list",
      "--channel",
      "sales",
      "--state",
      "delivered",
    )
    return data[0]
  })
  expect(delivery.event_id).toBe("event-1")
  const story = await run("event", "show", "event-1")
  expect(story.stdout).toMatch(/^arrived: +\d{4}.* after it was published$/m)
  expect(story.stdout).toMatch(/ appended to site\.paid\n.* attempt 1: 204 ok in .*\n.* delivered\n$/)
  const unknown = await run("event", "show", "event-0")
  expect(unknown).toMatchObject({ code: 1, stderr: expect.stringContaining("no delivery of the event") })
  const byShortId = await run("delivery", "show", delivery.id.slice(0, "0197a3c1-6d0e-7c3b".length))
  expect(byShortId.stdout).toContain(delivery.id)
  const shown = await run("delivery", "show", delivery.id)
  const { email, reference, site_url } = JSON.parse(received.body.toString())
  expect(shown.stdout).not.toContain(email)
  expect(shown.stdout).toMatch(/^body: +\{"event":"site.ready".*"email":".\*\*\*@/m)
  expect(shown.stdout).toContain(`sent to:  ${system.partner.url}/sales`)
  expect(shown.stdout).toContain(`${header.slice(0, "sha256=".length + 8)}…`)
  expect(shown.stdout).not.toContain(header)
  const revealed = await run("delivery", "reveal", delivery.id)
  expect(revealed).toMatchObject({ code: 0, stdout: `${received.body.toString()}\n` })
  for (const filter of [
    ["--event", "event-1"],
    ["--reference", reference],
    ["--site", site_url],
    ["--channel", "sales", "--after", delivery.created_at],
  ]) {
    const found = await json<Page<Delivery>>("delivery", "list", ...filter)
    expect(found.data.map(({ id }) => id)).toContain(delivery.id)
    const none = await json<Page<Delivery>>("delivery", "list", ...filter, "--before", "2020-01-01")
    expect(none.data).toEqual([])
  }
  expect(shown.stdout).toMatch(/^ *# +STARTED +DURATION +OUTCOME +(RESPONSE +)?IP +PHASES/m)
  expect(shown.stdout).toMatch(/^ *1 .* 204 ok +127\.0\.0\.1/m)
  const attempts = await run("delivery", "attempts", delivery.id)
  expect(attempts.stdout).toMatch(/^ *# +STARTED.*\n *1 .* 204 ok +127\.0\.0\.1/m)

  const resent = await run("delivery", "resend", delivery.id)
  expect(resent).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("as soon as its channel has capacity"),
  })
  await waitUntil(
    "the resent delivery",
    () => system.partner.received.filter(({ path }) => path === "/sales")[1],
  )
})

test.concurrent("during a rotation deliveries are signed with both secrets, the new one is shown until its activation, which can be undone", async () => {
  const { secret_id } = await json<Channel>(
    ...`channel create --id rotates --address ${system.partner.url}/rotates`.split(" "),
  )
  const off = await run("channel", "update", "rotates", "--standard-webhooks", "off")
  expect(off.stdout).toMatch(/^standard webhooks: +off$/m)
  await run("channel", "update", "rotates", "--standard-webhooks", "on")
  const staged = await run("channel", "secret", "stage", "rotates")
  const secret = /^staged secret: +(.+)$/m.exec(staged.stdout)?.[1] ?? ""
  expect(secret).toMatch(/^sws_/)
  expect(staged.stdout).toContain(standardWebhooksSecret(secret))
  const [, other] = /^other secret: +(\S+) \(staged\)$/m.exec(staged.stdout) ?? []
  const shown = await run("channel", "secret", "show", "rotates")
  expect(shown.stdout).toContain(secret)
  const again = await run("channel", "secret", "stage", "rotates")
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("Activate it, or retire it") })
  const wrong = await run("channel", "secret", "activate", "rotates", "--secret-id", secret_id, "--yes")
  expect(wrong).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was changed") })
  const activated = await run("channel", "secret", "activate", "rotates", "--secret-id", other ?? "", "--yes")
  expect(activated.stdout).toContain(`${secret_id} (retiring)`)

  await json("publish", "site.paid", "--channel", "rotates")
  const { headers, body } = await waitUntil("the delivery", () =>
    system.partner.received.find(({ path }) => path === "/rotates"),
  )
  expect(String(headers["webhook-signature"]).split(" ")).toHaveLength(2)
  const verified = await runCommand(
    ["verify", "--secret-env", "S", "--header", String(headers["x-sitewire-signature"])],
    { input: body, env: { S: secret } },
  )
  expect(verified).toMatchObject({ code: 0 })
  const reverted = await run("channel", "secret", "revert", "rotates", "--yes")
  expect(reverted.stdout).toContain(`${other} (retiring)`)
  expect((await run("channel", "secret", "revert", "rotates", "--yes", "--force")).code).toBe(0)
  const retired = await run("channel", "secret", "retire", "rotates", "--yes")
  expect(retired.stdout).not.toContain("other secret")
  for (const { stdout, stderr } of [again, activated, retired]) expect(stdout + stderr).not.toContain(secret)
})

test.concurrent("a paused channel's deliveries wait until it is resumed", async () => {
  await json("channel", "create", "--id", "paused", "--address", `${system.partner.url}/paused`)
  const paused = await run("channel", "pause", "paused")
  expect(paused).toMatchObject({ code: 0, stdout: expect.stringMatching(/^paused: +\d{4}/m) })
  await json("publish", "site.paid", "--channel", "paused")
  await waitUntil("the delivery to be stored", async () => {
    const { data } = await json<Page<Delivery>>(
      "delivery",
      "list",
      "--channel",
      "paused",
      "--state",
      "pending",
    )
    return data.length === 1
  })
  await waitUntil("the delivery to be deferred", async () => {
    const { data } = await json<Page<Delivery>>("delivery", "list", "--channel", "paused")
    return data[0]?.waiting_for === "paused"
  })
  const why = /deferred: channel paused since /
  expect((await run("delivery", "list", "--channel", "paused")).stdout).toMatch(why)
  const [waiting] = (await json<Page<Delivery>>("delivery", "list", "--channel", "paused")).data
  expect((await run("delivery", "show", waiting?.id ?? "")).stdout).toMatch(why)
  // A later delivery to another channel arrives: the deferred delivery does not block it.
  await json("channel", "create", "--id", "goes-on", "--address", `${system.partner.url}/goes-on`)
  await json("publish", "site.paid", "--channel", "goes-on")
  const at = (path: string) => system.partner.received.find((request) => request.path === path)
  await waitUntil("the other channel's delivery", () => at("/goes-on"))
  expect(at("/paused")).toBeUndefined()
  expect((await run("channel", "resume", "paused")).stdout).not.toMatch(/^paused:/m)
  await waitUntil("the delivery that waited", () => at("/paused"))
})

test.concurrent("a failing channel is found, its health explains why, and it is deleted with its pending deliveries", async () => {
  const operators = ["--address", `${system.partner.url}/on-call`, "--operator-notifications", "on"]
  const { signing_secret: secret } = await json<CreatedChannel>(
    "channel",
    "create",
    "--id",
    "on-call",
    ...operators,
  )
  await json("channel", "create", "--id", "unwell", "--address", `${system.partner.url}/failing`)
  for (let count = 0; count < 3; count++) await json("publish", "site.paid", "--channel", "unwell")
  const failing = await waitUntil(
    "the channel to fail",
    async () => {
      const { stdout } = await run("channel", "list", "--failing", "--search", "unw")
      return stdout.includes("unwell") && stdout
    },
    60_000,
  )
  expect(failing.split("\n")).toHaveLength(3)
  // Operators are notified with a signed webhook.
  const notified = await waitUntil(
    "the notification",
    () => system.partner.received.find(({ path, body }) => path === "/on-call" && body.includes('"unwell"')),
    60_000,
  )
  const header = String(notified.headers["x-sitewire-signature"])
  expect(verify({ body: notified.body, header, secrets: [secret] })).toMatchObject({ valid: true })
  expect(JSON.parse(notified.body.toString())).toMatchObject({ event: "channel.failing", status: "firing" })
  const incidents = await run("incident", "list", "--state", "open", "--subject", "unwell")
  expect(incidents.stdout).toMatch(
    / open +channel.failing +unwell +\d+ +Deliveries to the channel unwell fail\. .* +sitewire channel health unwell$/m,
  )
  const [incident = ""] = /inc_\w+/.exec(incidents.stdout) ?? []
  const acknowledged = await run("incident", "acknowledge", incident, "--note", "told the partner")
  expect(acknowledged.stdout).toMatch(/^acknowledged: +by key_\w+ \(.+\), until it is resolved$/m)
  const noted = await run("incident", "list", "--subject", "unwell")
  expect(noted.stdout).toMatch(/ acknowledged +channel.failing .* told the partner$/m)
  expect((await run("incident", "withdraw", incident)).stdout).toMatch(/^acknowledged: +no$/m)
  const health = await run("channel", "health", "unwell")
  expect(health.stdout).toMatch(/^health: +failing$/m)
  expect(health.stdout).toMatch(/^last failure: .*: status 500, delivery /m)
  expect(health.stdout).toMatch(/^DISPATCHER +BREAKER/m)
  expect(health.stderr).toMatch(/^To see what the partner's server responded: sitewire delivery show /m)

  const limited = await run("channel", "update", "unwell", "--max-per-second", "5")
  expect(limited.stdout).toMatch(/^maximum rate: +5 per second$/m)
  const unlimited = await run("channel", "update", "unwell", "--max-per-second", "none")
  expect(unlimited.stdout).not.toContain("maximum rate")

  await json("channel", "pause", "unwell")
  expect(await run("channel", "delete", "unwell")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Add --yes"),
  })
  expect(await run("channel", "delete", "unwell", "--yes")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("3 of its deliveries are pending"),
  })
  const deleted = await run("channel", "delete", "unwell", "--force", "--yes")
  expect(deleted).toMatchObject({ code: 0, stdout: expect.stringContaining("Pending deliveries: 3") })
  expect((await run("channel", "list", "--search", "unwell")).stdout).toBe("No such channels.\n")
  // Its deliveries stay readable.
  const list = await run("delivery", "list", "--channel", "unwell")
  expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining("unwell") })
  const dead = await waitUntil(
    "its deliveries to be dead",
    async () => {
      const page = await json<Page<Delivery>>("delivery", "list", "--channel", "unwell", "--state", "dead")
      return page.data.length === 3 && page.data
    },
    60_000,
  )
  const shown = await run("delivery", "show", dead[0]?.id ?? "")
  expect(shown.stdout).toMatch(/^state: +dead: its channel was deleted$/m)
  const resent = await run("delivery", "resend", dead[0]?.id ?? "")
  expect(resent).toMatchObject({ code: 1, stderr: expect.stringContaining("was deleted") })
})

test.concurrent("publishing to a missing topic fails, and to a missing channel says so", async () => {
  const args = ["publish", "site.paid", "--channel", "acme", "--topic-prefix", "missing."]
  const { code, stderr } = await runCommand(args, { env: system.cliEnv })
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("topic missing.site.paid exists"),
  })
  expect(stderr).toContain("0 of 1 event(s) were acknowledged")
  expect(await run("event", "publish", "--channel", "acmee")).toMatchObject({
    code: 0,
    stderr: expect.stringContaining("There is no channel acmee"),
  })
})

test("control characters in a partner's response are escaped", async () => {
  await json("channel", "create", "--id", "failing", "--address", `${system.partner.url}/failing`)
  await json("publish", "site.paid", "--channel", "failing")
  const { id } = await waitUntil("a failed attempt", async () => {
    const { data } = await json<Page<Delivery>>("delivery", "list", "--channel", "failing")
    return data.find(({ attempts }) => attempts > 0)
  })
  const { stdout } = await run("delivery", "show", id)
  expect(stdout).toContain("\\u001b[2Jno\\nline two")
  expect(stdout).not.toContain("\u001b")
  const { attempt_log } = await json<DeliveryWithAttempts>("delivery", "show", id)
  expect(attempt_log[0]?.response_excerpt).toBe("\u001b[2Jno\nline two")
})

test("a delivery that waits for a retry is found by its error, and cancelled", async () => {
  const failed = await waitUntil("the failed delivery", async () => {
    const args = ["delivery", "list", "--error", "status", "--state", "pending"]
    return (await json<Page<Delivery>>(...args)).data[0]
  })
  expect((await run("delivery", "list", "--error", "status")).stdout).toMatch(/LAST ERROR.*\n.* 500 /)
  const cancelled = await run("delivery", "cancel", failed.id, "--reason", "ticket 17")
  expect(cancelled).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^The delivery is cancelled\. What may still arrive: /),
  })
  expect((await run("delivery", "show", failed.id)).stdout).toMatch(/^state: +cancelled\n/m)
  const again = await run("delivery", "cancel", failed.id)
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining("is cancelled") })
})

test("events are read from JSON, an array or NDJSON, and none is published if one is invalid", async () => {
  const event = (id: string, more = {}) => ({
    id,
    channel: "nobody",
    reference: "r",
    site_url: "https://a.example/",
    console_url: "https://a.example/c",
    name: "n",
    email: "owner@secret-mail.example",
    created_at: "2026-01-31T09:30:00Z",
    ...more,
  })
  const publish = (input: string, ...more: string[]) =>
    runCommand(["publish", "site.paid", "--file", "-", "--json", ...more], { input, env: system.cliEnv })
  const idsOf = ({ stdout }: { stdout: string }) =>
    JSON.parse(stdout).data.map(({ id }: { id: string }) => id)
  const lines = (...events: object[]) => events.map((entry) => `${JSON.stringify(entry)}\n`).join("")

  const records = await system.installation.followTopic(system.installation.names.sitePaid)
  expect(idsOf(await publish(JSON.stringify(event("one"), null, 2)))).toEqual(["one"])
  expect(idsOf(await publish(JSON.stringify([event("two"), event("three")])))).toEqual(["two", "three"])
  expect(idsOf(await publish(lines(event("four"), event("five", { extra: 1 }))))).toEqual(["four", "five"])

  const faulty = await runCommand(["publish", "site.paid", "--file", "-"], {
    input: `${lines(event("six"), event("seven", { email: "owner(at)secret-mail" }))}{broken`,
    env: system.cliEnv,
  })
  expect(faulty).toMatchObject({ code: 2, stdout: "" })
  expect(faulty.stderr).toContain(
    "2 of 3 event(s) are not valid site.paid, so nothing was published:\n  line 2: email must be one e-mail address",
  )
  expect(faulty.stderr).toContain("\n  line 3: not JSON\n")
  expect(faulty.stderr).not.toContain("secret-mail")

  const raw = Buffer.from([0x7b, 0xff, 0x0a])
  const sent = await runCommand(["publish", "site.paid", "--file", "-", "--raw"], {
    input: raw,
    env: system.cliEnv,
  })
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("no readable id") })
  await waitUntil("the raw record", () => records.find(({ value }) => value?.equals(raw)))
  const keys = records.map(({ key }) => key)
  expect(keys).toEqual(expect.arrayContaining(["one", "two", "three", "four", "five"]))
  expect(keys).not.toContain("six")
  expect(records.find(({ key }) => key === "five")?.value?.toString()).toContain('"extra":1')
})
