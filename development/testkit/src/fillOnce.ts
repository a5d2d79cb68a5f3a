import { existsSync } from "node:fs"
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"

/**
 * Fills a folder that does not exist, and returns it. Only one process does so at a time, because what is installed or built costs
 * minutes of CPU time: others wait. `fill` gets another folder, which is renamed when it is complete.
 */
export async function fillOnce(folder: string, fill: (making: string) => Promise<unknown>): Promise<string> {
  const [lock, making] = [`${folder}.lock`, `${folder}.making`]
  await mkdir(dirname(folder), { recursive: true })
  while (!existsSync(folder)) {
    const isOurs = await writeFile(lock, String(process.pid), { flag: "wx" }).then(
      () => true,
      () => false,
    )
    if (!isOurs) {
      if (!isRunning(Number(await readFile(lock, "utf8").catch(() => process.pid))))
        await rm(lock, { force: true })
      else await sleep(100)
      continue
    }
    try {
      await rm(making, { recursive: true, force: true })
      await mkdir(making)
      await fill(making)
      await rename(making, folder)
    } finally {
      await rm(lock, { force: true })
    }
  }
  return folder
}

/** A run that was killed has left its lock. */
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}
