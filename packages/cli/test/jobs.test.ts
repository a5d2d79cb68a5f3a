import type { Delivery, DryRun, Job, Page } from "@sitewire/contracts"
import { waitUntil } from "@sitewire/testkit"
import { afterAll, beforeAll, expect, test } from "vitest"
import { runCommand, runJson } from "./fixtures/runCommand.ts"
import { startSystem } from "./fixtures/startSystem.ts"

const email = "Owner@Shop.example"
let system: Awaited<ReturnType<typeof startSystem>>

beforeAll(async () => {
  system = await startSystem((_, response) => response.writeHead(204).end(), {}, { services: ["dispatcher"] })
})
afterAll(() => system?.stop())

const run = (args: string[], input = "") => runCommand(args, { env: system.cliEnv, input })

const json = <T>(args: string[], input = "") => runJson<T>(args, { env: system.cliEnv, input })

const event = (id: string) =>
  JSON.stringify({
    id,
    channel: "acme",
    reference: "r",
    site_url: `https://${id}.example`,
    console_url: "https://console.example",
    name: "Shop",
    email,
    created_at: "2030-01-02T03:04:05Z",
  })

test("events are replayed, and deliveries resent and erased, first with --dry-run, then with --wait", async () => {
  const events = ["shop-1", "shop-2", "shop-3"].map(event).join("\n")
  expect((await run(["publish", "site.paid", "--file", "-"], events)).code).toBe(0)
  const replayUnknown = [
    "event",
    "replay",
    "--invalid-reason",
    "unknown channel",
    "--reason",
    "acme exists now",
  ]
  const dryReplay = [...replayUnknown, "--dry-run"]
  await waitUntil("the events to be rejected", async () => (await json<DryRun>(dryReplay)).matching === 3)
  const counted = await run([...dryReplay, "--after", "2026-11-21T00:00:00Z"])
  expect(counted.stdout).toMatch(
    /^invalid reason unknown channel, rejected after 2026-11-21T05:30:00\+05:30: the job would process 3\. /,
  )
  const invalid = await run(["event", "list", "--limit", "2"])
  expect(invalid.stdout).toMatch(
    /^REJECTED +CHANNEL +EVENT +REASON +FROM\n\S+ +acme +shop-\d +unknown channel +\S*site\.paid \d \d+$/m,
  )
  expect(invalid.stdout).not.toContain(email)
  expect(invalid.stderr).toContain("There are more entries: --all, or --cursor ")
  await json(["channel", "create", "--id", "acme", "--address", system.partner.url])
  // The beginning of a reason selects the events, too.
  const byBeginning = replayUnknown.map((word) => (word === "unknown channel" ? "unknown" : word))
  const replay = await run([...byBeginning, "--yes", "--wait"])
  expect(replay).toMatchObject({ code: 0, stdout: expect.stringMatching(/^state: +done$/m) })
  expect(replay.stdout).toContain("read 3, left out 0, replayed 3")
  expect(replay.stderr).toMatch(/^job_\w+ has started\.$/m)
  const delivered = (count: number) =>
    waitUntil(`${count} deliveries`, () => system.partner.received.length === count || undefined)
  await delivered(3)
  await waitUntil("the attempts to be recorded", async () => {
    const { data } = await json<Page<Delivery>>(["delivery", "list", "--state", "delivered"])
    return data.length === 3
  })

  const resend =
    "delivery resend-all --channel acme --state delivered --after 2020-01-01 --reason r --yes".split(" ")
  const resending = await run(resend.filter((word) => !["--reason", "r"].includes(word)).concat("--dry-run"))
  expect(resending.stdout).toMatch(
    /^channel acme, state delivered, created after 2020-01-01T\S+: the job would process 3\. Nothing was changed\.\n$/,
  )
  expect((await run(resend.filter((word) => !["--reason", "r"].includes(word)))).code).toBe(2)
  expect(await json([...resend, "--wait"])).toMatchObject({ state: "done", counts: { resent: 3 } })
  await delivered(6)
  expect(new Set(system.partner.received.map(({ headers }) => headers["x-sitewire-delivery"])).size).toBe(3)
  await waitUntil("the attempts to be recorded", async () => {
    const { data } = await json<Page<Delivery>>(["delivery", "list"])
    return data.every(({ attempts }) => attempts === 2)
  })

  const erase = ["erasure", "create", "--email-stdin", "--reason", "ticket 9"]
  const site = ["erasure", "create", "--site", "https://shop-1.example", "--reason", "r", "--dry-run"]
  expect((await run(site)).stdout).toMatch(/^site https:\/\/shop-1\.example: the job would process 1\. /)
  expect(await json<DryRun>([...erase, "--dry-run"], `${email.toLowerCase()}\n`)).toMatchObject({
    matching: 3,
  })
  const erased = await run([...erase, "--yes", "--wait"], `${email.toUpperCase()}\n`)
  expect(erased).toMatchObject({ code: 0, stdout: expect.stringContaining("deliveries erased 3") })
  expect(erased.stdout).toMatch(/^remains in .*site\.paid: +until 20/m)
  expect((erased.stdout + erased.stderr).toLowerCase()).not.toContain(email.toLowerCase())
  const { data } = await json<Page<Delivery>>(["delivery", "list", "--state", "erased"])
  expect(data.length).toBe(3)
  const erasedDelivery = await run(["delivery", "show", data[0]?.id ?? ""])
  expect(erasedDelivery).toMatchObject({ code: 0, stdout: expect.stringMatching(/^state: +erased$/m) })
  expect(erasedDelivery.stdout).not.toContain("body sha256")

  const jobs = await json<Page<Job>>(["job", "list"])
  expect(jobs.data.map(({ kind }) => kind)).toEqual(["erasure", "resend", "replay"])
  const [latest] = jobs.data
  expect((await run(["job", "list"])).stdout).toMatch(
    /^job_\w+ +erasure +done +scanned 3,.* deliveries erased 3/m,
  )
  expect(await json(["job", "show", latest?.id ?? ""])).toEqual({ ...latest, outcome: null })
  const late = await run(["job", "cancel", latest?.id ?? ""])
  expect(late).toMatchObject({ code: 1, stderr: expect.stringContaining("so it cannot be cancelled") })
})

test("an erasure reads no e-mail address from the arguments, and requires exactly one subject", async () => {
  for (const args of [[], ["--email-stdin", "--site", "https://shop.example"]]) {
    const { code, stderr } = await run(["erasure", "create", "--reason", "r", ...args])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining("exactly one of") })
  }
  expect((await run(["erasure", "create", "--email", email, "--reason", "r"])).code).toBe(2)
  const rejected = await run(["erasure", "create", "--email-stdin", "--reason", "r", "--yes"], "no address\n")
  expect(rejected).toMatchObject({ code: 1, stderr: expect.stringContaining("email") })
})

test("a resend without a filter, and an invalid time, are rejected", async () => {
  const unfiltered = await run(["delivery", "resend-all", "--reason", "r", "--yes"])
  expect(unfiltered).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Select deliveries with --channel"),
  })
  const invalidTime = await run(["delivery", "resend-all", "--after", "tomorrow", "--reason", "r"])
  expect(invalidTime).toMatchObject({ code: 2, stderr: expect.stringContaining("2026-11-21T04:00:00Z") })
})
