import { mkdtemp, readdir, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { waitUntil } from "@sitewire/testkit"
import { expect, test } from "vitest"
import { stack } from "../../test/fixtures/localFile.ts"
import { keepLocalFile } from "./writeLocalFile.ts"

test("of services that restart together the newest state is written, and nothing is left when it is removed", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-local-"))
  const file = join(folder, "local.json")
  const told: string[] = []
  let pid = 1
  const describe = () => ({ ...stack, processes: { console: pid } })
  const kept = await keepLocalFile(file, { describe, progress: (line) => told.push(line) })
  for (; pid < 20; pid++) kept.update()
  const written = async () => JSON.parse(await readFile(file, "utf8")).processes.console
  await waitUntil("the newest state", async () => (await written()) === 20)
  kept.update()
  await kept.remove()
  expect(await readdir(folder)).toEqual([])
  expect(told).toEqual([])
})

test("a file that cannot be written is told, and ends nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-local-"))
  const told: string[] = []
  const kept = await keepLocalFile(join(folder, "local.json"), {
    describe: () => stack,
    progress: (line) => told.push(line),
  })
  await rm(folder, { recursive: true })
  kept.update()
  await kept.remove()
  expect(told).toEqual([expect.stringMatching(/local\.json is out of date, .*ENOENT/)])
})
