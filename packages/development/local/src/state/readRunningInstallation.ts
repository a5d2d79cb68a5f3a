import { readFile } from "node:fs/promises"
import { type LocalStack, localStackSchema } from "@sitewire/cli"
import { processStartTime } from "@sitewire/testkit/backing"
import { localFile } from "../folders.ts"

/** The installation that runs from this checkout, or null. Null also if its file cannot be read. */
export async function readRunningInstallation(file: string = localFile): Promise<LocalStack | null> {
  let content: unknown
  try {
    content = JSON.parse(await readFile(file, "utf8"))
  } catch {
    return null
  }
  const parsed = localStackSchema.safeParse(content)
  if (!parsed.success) return null
  const { processes, supervisorBirth } = parsed.data
  const isAlive =
    processes.supervisor !== undefined && processStartTime(processes.supervisor) === supervisorBirth
  return isAlive ? parsed.data : null
}
