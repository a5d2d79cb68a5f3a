import { startTestInstallation, waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runCommand } from "./fixtures/runCommand.ts"

let it: Awaited<ReturnType<typeof startTestInstallation>>
let env: Record<string, string>
beforeAll(async () => {
  it = await startTestInstallation()
  env = { KAFKA_BROKERS: it.brokers.join(","), TOPIC_PREFIX: it.topicPrefix }
})
afterAll(() => it?.stop())

test("events are read from JSON, an array or NDJSON, and none is published if one is invalid", async () => {
  const event = (id: string, more = {}) => ({
    ...{
      id,
      channel: "nobody",
      reference: "r",
      site_url: "https://a.example/",
      console_url: "https://a.example/c",
    },
    ...{ name: "n", email: "owner@secret-mail.example", created_at: "2026-01-31T09:30:00Z" },
    ...more,
  })
  const publish = (input: string, ...more: string[]) =>
    runCommand(["publish", "site.paid", "--file", "-", "--json", ...more], { input, env })
  const idsOf = ({ stdout }: { stdout: string }) =>
    JSON.parse(stdout).data.map(({ id }: { id: string }) => id)
  const lines = (...events: object[]) => events.map((entry) => `${JSON.stringify(entry)}\n`).join("")

  const records = await it.followTopic(it.names.sitePaid)
  expect(idsOf(await publish(JSON.stringify(event("one"), null, 2)))).toEqual(["one"])
  expect(idsOf(await publish(JSON.stringify([event("two"), event("three")])))).toEqual(["two", "three"])
  expect(idsOf(await publish(lines(event("four"), event("five", { extra: 1 }))))).toEqual(["four", "five"])

  const faulty = await runCommand(["publish", "site.paid", "--file", "-"], {
    input: `${lines(event("six"), event("seven", { email: "owner(at)secret-mail" }))}{broken`,
    env: env,
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
    env: env,
  })
  expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("no readable id") })
  await waitUntil("the raw record", () => records.find(({ value }) => value?.equals(raw)))
  const keys = records.map(({ key }) => key)
  expect(keys).toEqual(expect.arrayContaining(["one", "two", "three", "four", "five"]))
  expect(keys).not.toContain("six")
  expect(records.find(({ key }) => key === "five")?.value?.toString()).toContain('"extra":1')
})

test("publishing to a missing topic fails, and the command exits", async () => {
  const args = ["publish", "site.paid", "--channel", "acme", "--topic-prefix", "missing."]
  const { code, stderr } = await runCommand(args, { env })
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("topic missing.site.paid exists"),
  })
  expect(stderr).toContain("0 of 1 event(s) were acknowledged")
})
