import { mkdtemp, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { processStartTime } from "@sitewire/testkit/backing"
import { expect, test } from "vitest"
import { localStack } from "../../test/fixtures/localFile.ts"
import { readRunningInstallation } from "./readRunningInstallation.ts"

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
