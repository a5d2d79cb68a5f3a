import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { localStack } from "../../test/fixtures/localFile.ts"
import { createLocalFile } from "./createLocalFile.ts"

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
