import { cp, mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"

type Manifest = {
  name: string
  version: string
  type: string
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

/**
 * Lays down in `to` what one workspace needs to run: itself, the workspaces it depends on, and manifests from which
 * `npm ci` installs their dependencies at the locked versions. npm's own `--omit=dev -w` follows the development
 * dependencies of every workspace on the way (measured: 458 MB for the gateway, Postgres included).
 * Run while an image is built; tests are left out by the Dockerfile's ignore file.
 */
export async function pick(from: string, workspace: string, to: string): Promise<string[]> {
  const all = await readWorkspaces(from)
  const first = all.get(workspace)
  if (!first) throw new Error(`${workspace} is not a workspace. Name one of: ${[...all.keys()].join(", ")}.`)
  const folderOf = new Map([...all].map(([folder, { name }]) => [name, folder]))

  const picked = new Map([[workspace, first]])
  for (const { dependencies = {} } of picked.values()) {
    for (const name of Object.keys(dependencies)) {
      const folder = folderOf.get(name)
      const manifest = folder && all.get(folder)
      if (folder && manifest) picked.set(folder, manifest)
    }
  }

  await mkdir(to, { recursive: true })
  const { name, version, type } = await readManifest(from)
  await writeManifest(to, { name, version, type, private: true, workspaces: [...picked.keys()] })
  for (const file of ["package-lock.json", ".npmrc"]) await cp(join(from, file), join(to, file))
  for (const [folder, { devDependencies: _, ...manifest }] of picked) {
    await cp(join(from, folder), join(to, folder), { recursive: true })
    await writeManifest(join(to, folder), manifest)
  }
  return [...picked.keys()]
}

/** The workspaces' manifests by folder, as the lockfile lists them. */
async function readWorkspaces(from: string): Promise<Map<string, Manifest>> {
  const { packages }: { packages: Record<string, unknown> } = JSON.parse(
    await readFile(join(from, "package-lock.json"), "utf8"),
  )
  const folders = Object.keys(packages).filter((path) => /^(packages|services)\/[^/]+$/.test(path))
  return new Map(
    await Promise.all(
      folders.map(async (folder) => [folder, await readManifest(join(from, folder))] as const),
    ),
  )
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
}

async function writeManifest(folder: string, manifest: object): Promise<void> {
  await writeFile(join(folder, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
}

if (import.meta.main) {
  const [workspace = "", to = ""] = process.argv.slice(2)
  const folders = await pick(process.cwd(), workspace, to)
  process.stdout.write(`${workspace} needs ${folders.join(", ")}\n`)
}
