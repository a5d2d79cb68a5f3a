import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { LocalStack } from "@sitewire/cli"
import { waitUntil } from "@sitewire/testkit"
import { processStartTime } from "@sitewire/testkit/backing"
import { expect, test } from "vitest"
import { createLocalFile, readRunningInstallation } from "./state.ts"

/** The contents of `.sitewire/local.json` of an installation that does not run. */
const localStack: LocalStack = {
  gateway: "http://127.0.0.1:1",
  console: "http://127.0.0.1:1",
  partner: "http://127.0.0.1:1",
  kafka: "127.0.0.1:1",
  database: "postgresql://127.0.0.1:1/sitewire",
  apiKey: "swk_local-key",
  ops: {},
  processes: {},
  supervisorBirth: "",
}

test("updates at the same time write the newest state, and remove leaves nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-local-"))
  const file = join(folder, "local.json")
  const reported: string[] = []
  let pid = 1
  const describe = () => ({ ...localStack, processes: { console: pid } })
  const localFile = await createLocalFile(file, { describe, progress: (line) => reported.push(line) })
  for (; pid < 20; pid++) localFile.update()
  const written = async () => JSON.parse(await readFile(file, "utf8")).processes.console
  await waitUntil("the newest state", async () => (await written()) === 20)
  localFile.update()
  await localFile.remove()
  expect(await readdir(folder)).toEqual([])
  expect(reported).toEqual([])
})

test("a write that fails is reported, and neither update nor remove throws", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-local-"))
  const reported: string[] = []
  const localFile = await createLocalFile(join(folder, "local.json"), {
    describe: () => localStack,
    progress: (line) => reported.push(line),
  })
  await rm(folder, { recursive: true })
  localFile.update()
  await localFile.remove()
  expect(reported).toEqual([expect.stringMatching(/local\.json is out of date: .*ENOENT/)])
})

const own = {
  ...localStack,
  processes: { supervisor: process.pid },
  supervisorBirth: processStartTime(process.pid) ?? "",
}

test("an installation runs while the process that wrote the file runs, and not a later process with the same id", async () => {
  expect(await readRunningInstallation(await fileOf(JSON.stringify(own)))).toEqual(own)
  const reused = { ...own, supervisorBirth: "1@before-the-reboot" }
  expect(await readRunningInstallation(await fileOf(JSON.stringify(reused)))).toBeNull()
})

test.each([
  ["", "empty"],
  [JSON.stringify(own).slice(0, 40), "cut off"],
  ["{}", "of another form"],
])("a file that contains %j (%s) means that nothing runs", async (text) =>
  expect(await readRunningInstallation(await fileOf(text))).toBeNull(),
)

async function fileOf(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "sitewire-local-")), "local.json")
  await writeFile(file, text)
  return file
}
