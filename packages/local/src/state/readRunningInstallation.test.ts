import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { processStartTime } from "@sitewire/backing"
import { expect, test } from "vitest"
import { stack } from "../../test/fixtures/localFile.ts"
import { runningStack } from "./readRunningInstallation.ts"

const own = {
  ...stack,
  processes: { supervisor: process.pid },
  supervisorBirth: processStartTime(process.pid) ?? "",
}

test("a stack runs while the very process lives that wrote the file, not a later one with its id", async () => {
  expect(await runningStack(await fileOf(JSON.stringify(own)))).toEqual(own)
  const reused = { ...own, supervisorBirth: "1@before-the-reboot" }
  expect(await runningStack(await fileOf(JSON.stringify(reused)))).toBeNull()
})

test.each([
  ["", "empty"],
  [JSON.stringify(own).slice(0, 40), "cut off"],
  ["{}", "of another form"],
])("a file with %j, %s, is no running stack", async (text) =>
  expect(await runningStack(await fileOf(text))).toBeNull(),
)

async function fileOf(text: string): Promise<string> {
  const file = join(await mkdtemp(join(tmpdir(), "sitewire-local-")), "local.json")
  await writeFile(file, text)
  return file
}
