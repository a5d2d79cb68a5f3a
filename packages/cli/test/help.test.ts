import { expect, test } from "vitest"
import type { CliCommand, CommandGroup } from "../src/command.ts"
import { commands } from "../src/commands/commands.ts"
import { runCli } from "./fixtures/runCli.ts"

const isGroup = (entry: CliCommand | CommandGroup): entry is CommandGroup => "commands" in entry

function flatten(
  entry: CliCommand | CommandGroup,
  path: string[] = [],
): { path: string[]; command: CliCommand }[] {
  const own = [...path, entry.name]
  if (isGroup(entry)) return entry.commands.flatMap((child) => flatten(child, own))
  return [{ path: own, command: entry }]
}

const all = commands.flatMap((entry) => flatten(entry))

test("every command has the form <noun> <verb>, except the tools", () => {
  expect(all.map(({ path }) => path.join(" "))).toEqual([
    "channel create",
    "channel list",
    "channel show",
    "channel health",
    "channel update",
    "channel delete",
    "channel pause",
    "channel resume",
    "channel test",
    "channel secret stage",
    "channel secret activate",
    "channel secret retire",
    "connection create",
    "connection list",
    "connection show",
    "connection update",
    "connection delete",
    "connection replace-token",
    "connection sync",
    "connection windows",
    "connection show-snapshot",
    "sync list",
    "sync tail",
    "delivery list",
    "delivery show",
    "delivery resend",
    "delivery resend-all",
    "delivery tail",
    "event list-invalid",
    "event replay",
    "erasure create",
    "job list",
    "job show",
    "job cancel",
    "statistics show",
    "topic list",
    "reconcile",
    "publish site.paid",
    "certify",
    "trigger",
    "verify",
    "listen",
  ])
})

test("--help of every command prints its arguments, its options and examples", async () => {
  const results = await Promise.all(all.map(({ path }) => runCli([...path, "--help"])))
  for (const [index, { code, stdout }] of results.entries()) {
    const { path, command } = all[index] ?? { path: [], command: null }
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`Examples:\\n  \\$ .*sitewire ${path.join(" ")}`))
    for (const [syntax] of command?.arguments ?? []) expect(stdout).toContain(syntax)
    for (const { flags, hidden } of command?.options ?? []) if (!hidden) expect(stdout).toContain(flags)
  }
}, 120_000)

test("--help of every group lists its commands", async () => {
  const groups = commands.filter(isGroup)
  const results = await Promise.all(groups.map(({ name }) => runCli([name, "--help"])))
  for (const [index, { code, stdout }] of results.entries()) {
    expect(code).toBe(0)
    for (const { name } of groups[index]?.commands ?? [])
      expect(stdout).toMatch(new RegExp(`^  ${name}\\b`, "m"))
  }
}, 120_000)
