import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"

/** The licences of the packages that these modules belong to, as one text. */
export async function readLicences(modules: readonly string[]): Promise<string> {
  const folders = new Set(
    modules.flatMap((path) => path.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/)?.[0] ?? []),
  )
  const texts = await Promise.all([...folders].sort().map(readLicence))
  return ["This package contains the following packages.", ...texts].join(`\n\n${"-".repeat(80)}\n\n`)
}

async function readLicence(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
  const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry))
  const text = file === undefined ? "" : `\n\n${(await readFile(join(folder, file), "utf8")).trim()}`
  return `${name} ${version} (${license})${text}`
}
