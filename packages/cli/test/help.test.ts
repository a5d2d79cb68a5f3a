import { expect, test } from "vitest"
import { type CliCommand, type CommandGroup, isGroup } from "../src/command.ts"
import { commands } from "../src/commands/commands.ts"
import { runCommand } from "./fixtures/runCommand.ts"

function flatten(
  entry: CliCommand | CommandGroup,
  path: string[] = [],
): { path: string[]; command: CliCommand }[] {
  const own = [...path, entry.name]
  if (isGroup(entry)) return entry.commands.flatMap((child) => flatten(child, own))
  return [{ path: own, command: entry }]
}

const visible = commands.filter((entry) => !(isGroup(entry) && entry.hidden))
const all = visible.flatMap((entry) => flatten(entry))

test("every command has the form <noun> <verb>, except the tools", () => {
  expect(all.map(({ path }) => path.join(" "))).toEqual([
    "channel create",
    "channel list",
    "channel show",
    "channel health",
    "channel update",
    "channel change-address",
    "channel delete",
    "channel pause",
    "channel resume",
    "channel test",
    "channel secret stage",
    "channel secret show",
    "channel secret test",
    "channel secret activate",
    "channel secret revert",
    "channel secret retire",
    "connection create",
    "connection list",
    "connection show",
    "connection update",
    "connection delete",
    "connection replace-token",
    "connection replace-secret",
    "connection sync",
    "connection windows",
    "connection show-snapshot",
    "sync list",
    "sync tail",
    "delivery list",
    "delivery show",
    "delivery attempts",
    "delivery reveal",
    "delivery resend",
    "delivery resend-all",
    "delivery cancel",
    "delivery tail",
    "event publish",
    "event show",
    "event list",
    "event replay",
    "erasure create",
    "job list",
    "job show",
    "job cancel",
    "statistics show",
    "topic list",
    "key create",
    "key list",
    "key show",
    "key revoke",
    "session list",
    "session end",
    "incident list",
    "incident acknowledge",
    "incident withdraw",
    "audit list",
    "profile add",
    "profile list",
    "profile use",
    "profile remove",
    "sign-in",
    "reconcile",
    "trigger",
    "verify",
    "listen",
    "doctor",
    "completion bash",
    "completion zsh",
    "completion fish",
  ])
})

test("--help of every command prints its arguments, its options and examples", async () => {
  const results = await Promise.all(all.map(({ path }) => runCommand([...path, "--help"])))
  for (const [index, { code, stdout }] of results.entries()) {
    const { path, command } = all[index] ?? { path: [], command: null }
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`Examples:\\n  \\$ .*sitewire ${path.join(" ")}`))
    for (const [syntax] of command?.arguments ?? []) expect(stdout).toContain(syntax)
    for (const { flags, hidden } of command?.options ?? []) if (!hidden) expect(stdout).toContain(flags)
  }
})

test("--help of every group lists its commands", async () => {
  const groups = visible.filter(isGroup)
  const results = await Promise.all(groups.map(({ name }) => runCommand([name, "--help"])))
  for (const [index, { code, stdout }] of results.entries()) {
    expect(code).toBe(0)
    for (const { name } of groups[index]?.commands ?? [])
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"))
  }
})

test("an unknown command is answered with a similar one", async () => {
  const uses = { verfy: "verify", "delivery lst": "list", "channel secret stagee": "stage" }
  for (const [words, meant] of Object.entries(uses)) {
    const { code, stderr } = await runCommand(words.split(" "))
    expect({ words, code, stderr }).toEqual({
      words,
      code: 2,
      stderr: expect.stringContaining(`(Did you mean ${meant}?)`),
    })
  }
  expect((await runCommand(["xylophone"])).stderr).not.toContain("Did you mean")
  expect((await runCommand(["delivery", "list", "--chanel", "a"])).stderr).toContain(
    "Did you mean --channel?",
  )
})
