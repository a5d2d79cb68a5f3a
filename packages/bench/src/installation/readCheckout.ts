import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Checkout } from "@sitewire/installation"

/**
 * The file that exports a checkout's Node arguments. Versions before packages/installation have the last
 * path.
 */
const files = ["packages/installation/src/process/nodeArguments.ts", "packages/backing/src/nodeArguments.ts"]

/** Lets one bench measure two versions of the services, each with its own Node arguments. */
export async function readCheckout(folder: string): Promise<Checkout> {
  const root = resolve(folder)
  const file = files.map((path) => join(root, path)).find((path) => existsSync(path))
  if (file === undefined) throw new Error(`${root} is not a checkout of Sitewire: it has no ${files[0]}`)
  const { nodeArguments, nodeEnvironment } = (await import(pathToFileURL(file).href)) as Omit<
    Checkout,
    "root"
  >
  return { root, nodeArguments, nodeEnvironment }
}
