import { execFile } from "node:child_process"
import { promisify } from "node:util"

export const run = promisify(execFile)

/**
 * Pulls an official image, unless it is there. Where it cannot be pulled, assembles one from files of this machine,
 * which stays for the next run.
 */
export async function obtainImage(
  official: string,
  assemble: (name: string) => Promise<unknown>,
): Promise<string> {
  const local = `${localPrefix}${official.replace(/@.*/, "").replace(/^.*\//, "")}`
  if (await exists(official)) return official
  if (await exists(local)) return local
  const pulled = await run("docker", ["pull", "--quiet", official]).then(
    () => true,
    () => false,
  )
  if (!pulled) await assemble(local)
  return pulled ? official : local
}

function exists(image: string) {
  return run("docker", ["image", "inspect", image]).then(
    () => true,
    () => false,
  )
}

/** Begins the names of all images that the tests make. */
export const localPrefix = "sitewire-test/"
