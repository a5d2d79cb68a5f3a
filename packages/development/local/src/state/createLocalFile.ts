import { rm } from "node:fs/promises"
import type { LocalStack } from "@sitewire/cli"
import { reasonOf } from "@sitewire/runtime"
import { writePrivate } from "./secrets.ts"

/**
 * Writes the result of `describe` to `file`, and again at each `update`. Writes run one after the other, so
 * that the newest state is written last. If an update fails, `progress` reports it, and the installation runs
 * on.
 */
export async function createLocalFile(
  file: string,
  { describe, progress }: { describe: () => LocalStack; progress: (line: string) => void },
): Promise<{ update(): void; remove(): Promise<void> }> {
  let written = writePrivate(file, describe())
  await written
  return {
    update() {
      written = written
        .then(() => writePrivate(file, describe()))
        .catch((error) => progress(`${file} is out of date: it could not be written: ${reasonOf(error)}`))
    },
    async remove() {
      await written
      await rm(file, { force: true })
    },
  }
}
