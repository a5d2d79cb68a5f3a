import { afterAll, beforeAll, expect, test } from "vitest"
import { runCommand } from "./fixtures/runCommand.ts"
import { startConsole } from "./fixtures/startConsole.ts"

let system: Awaited<ReturnType<typeof startConsole>>
beforeAll(async () => {
  system = await startConsole()
})
afterAll(() => system?.stop())

const run = (args: string[], terminal?: { input: string }) =>
  runCommand(args, { env: system.cliEnv, ...(terminal && { terminal: true, ...terminal }) })

async function succeed(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await run(args)
  expect({ code, stderr }, args.join(" ")).toMatchObject({ code: 0 })
  return stdout
}

const changes = () => system.installation.sql("select operation from audit_entry")

type Case = { command: string[]; question: RegExp; prepare?: () => Promise<unknown> }

const cases: Case[] = [
  {
    command: ["channel", "secret", "activate", "acme"],
    question: /Sign with sec_\w+ from now on, for the channel "acme"\?/,
    prepare: () => succeed("channel", "secret", "stage", "acme"),
  },
  {
    command: ["channel", "secret", "retire", "acme"],
    question: /Delete the retiring secret sec_\w+ of the channel "acme"\?/,
  },
  {
    command: ["connection", "replace-token", "bakery"],
    question: /Replace the token of the connection "bakery" of bakery\.example\?/,
  },
  {
    command: ["event", "replay", "--invalid-reason", "unknown channel", "--reason", "r"],
    question: /Publish 0 invalid events again\?/,
  },
  {
    command: ["delivery", "resend-all", "--channel", "acme", "--reason", "r"],
    question: /Resend 0 deliveries\?/,
  },
  {
    command: ["erasure", "create", "--site", "https://gone.example", "--reason", "r"],
    question: /Erase the data of 0 deliveries, and all other data\?/,
  },
  { command: ["connection", "delete", "bakery"], question: /Delete the connection "bakery"/ },
  { command: ["channel", "delete", "acme"], question: /Delete the channel "acme" of partner\.example\?/ },
]

test("each irreversible command asks, and changes nothing before the answer is yes", async () => {
  await succeed("channel", "create", "--id", "acme", "--address", "https://partner.example/")
  await succeed(
    ..."connection create --id bakery --site bakery.example --source https://source.example/".split(" "),
  )
  for (const { command, question, prepare } of cases) {
    await prepare?.()
    const before = await changes()
    const silent = await run(command)
    expect(silent, command.join(" ")).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("Add --yes"),
    })
    const refused = await run(command, { input: "n\n" })
    expect(refused).toMatchObject({ code: 1, stdout: "", stderr: expect.stringMatching(question) })
    expect(await changes(), command.join(" ")).toEqual(before)
    expect(await run(command, { input: "y\n" })).toMatchObject({ code: 0 })
    expect((await changes()).length, command.join(" ")).toBe(before.length + 1)
  }
})

test("a step of a rotation that has nothing to do says so, and does not ask", async () => {
  await succeed("channel", "create", "--id", "single", "--address", "https://partner.example/")
  for (const step of ["activate", "retire"]) {
    const none = await run(["channel", "secret", step, "single"], { input: "y\n" })
    expect(none).toMatchObject({ code: 1, stderr: expect.stringMatching(/has no (staged )?secret/) })
    expect(none.stderr).not.toContain("[y/N]")
  }
})
