import { existsSync } from "node:fs"
import { join, resolve } from "node:path"
import { pathToFileURL } from "node:url"
import type { Checkout } from "@sitewire/testkit/installation"

/**
 * The file in which a checkout keeps the arguments with which it starts Node. The second path is that of
 * older versions, which have no packages/development/testkit.
 */
const files = [
  "packages/development/testkit/src/installation/process/nodeArguments.ts",
  "packages/development/testkit/src/backing/nodeArguments.ts",
]

/**
 * Returns how to start the services of the checkout in `folder`. So one bench can measure two versions of
 * them, each with its own Node arguments.
 */
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
