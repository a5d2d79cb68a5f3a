import { mkdtemp, readdir, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { fillOnce } from "./fillOnce.ts"

const newFolder = async () => join(await mkdtemp(join(tmpdir(), "sitewire-fill-")), "filled")

test("of several at the same time, one fills the folder, and the others get it when it is complete", async () => {
  const folder = await newFolder()
  let fills = 0
  const fill = async (making: string) => {
    fills++
    await writeFile(join(making, "first"), "")
    await new Promise((resolve) => setTimeout(resolve, 50))
    await writeFile(join(making, "second"), "")
  }
  const filled = [1, 2, 3].map(async () => readdir(await fillOnce(folder, fill)))
  for (const files of await Promise.all(filled)) expect(files).toEqual(["first", "second"])
  expect(fills).toBe(1)
})

test("after a failure, or a run that was killed, the next one fills it", async () => {
  const folder = await newFolder()
  await expect(fillOnce(folder, () => Promise.reject(new Error("no network")))).rejects.toThrow("no network")
  // No process has this id.
  await writeFile(`${folder}.lock`, String(2 ** 30))
  await fillOnce(folder, (making) => writeFile(join(making, "file"), ""))
  expect(await readdir(folder)).toEqual(["file"])
})
