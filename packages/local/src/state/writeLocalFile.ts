import { rm } from "node:fs/promises"
import type { LocalStack } from "@sitewire/cli"
import { reasonOf } from "@sitewire/runtime"
import { writePrivate } from "./secrets.ts"

/**
 * Writes what `describe` returns to `file`, and again at each `update`: one write after the other, so that the newest is
 * what stays. A write that fails is told to `progress`; the stack runs on without it.
 */
export async function keepLocalFile(
  file: string,
  { describe, progress }: { describe: () => LocalStack; progress: (line: string) => void },
): Promise<{ update(): void; remove(): Promise<void> }> {
  let written = writePrivate(file, describe())
  await written
  return {
    update() {
      written = written
        .then(() => writePrivate(file, describe()))
        .catch((error) => progress(`${file} is out of date, as it could not be written: ${reasonOf(error)}`))
    },
    async remove() {
      await written
      await rm(file, { force: true })
    },
  }
}
