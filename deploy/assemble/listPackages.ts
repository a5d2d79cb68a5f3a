import { existsSync } from "node:fs"
import { readdir, readFile } from "node:fs/promises"
import { dirname, join } from "node:path"

type Manifest = {
  name: string
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  peerDependenciesMeta?: Record<string, { optional?: boolean }>
}

export type Packages = {
  /** Folders of the workspace and of those that it imports, such as `packages/kafka`. */
  workspaces: string[]
  /** Folders of installed packages, such as `node_modules/pg`. */
  installed: string[]
}

/** Lists what a workspace needs in production. All paths are relative to `root`. */
export async function listPackages(root: string, workspace: string): Promise<Packages> {
  const workspaces = await findWorkspaces(root)
  const found = { workspaces: new Set<string>(), installed: new Set<string>() }
  const pending = [workspace]
  for (let folder = pending.pop(); folder !== undefined; folder = pending.pop()) {
    const kind = folder.includes("node_modules/") ? found.installed : found.workspaces
    if (kind.has(folder)) continue
    kind.add(folder)
    const manifest = await readManifest(join(root, folder))
    for (const [name, required] of dependenciesOf(manifest)) {
      const at = workspaces.get(name) ?? locate(root, folder, name)
      if (at !== undefined) pending.push(at)
      else if (required) throw new Error(`${folder} needs ${name}, which is not installed. Run npm ci.`)
    }
  }
  return { workspaces: [...found.workspaces].sort(), installed: [...found.installed].sort() }
}

function dependenciesOf(manifest: Manifest): [name: string, required: boolean][] {
  const optional = Object.keys(manifest.optionalDependencies ?? {})
  const peers = Object.keys(manifest.peerDependencies ?? {}).filter(
    (name) => !manifest.peerDependenciesMeta?.[name]?.optional,
  )
  const required = Object.keys(manifest.dependencies ?? {}).filter((name) => !optional.includes(name))
  return [
    ...[...required, ...peers].map((name): [string, boolean] => [name, true]),
    ...optional.map((name): [string, boolean] => [name, false]),
  ]
}

/** Looks where Node does: in the `node_modules` of the folder and of each folder above it. */
function locate(root: string, folder: string, name: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const candidate = join(at, "node_modules", name)
    if (existsSync(join(root, candidate, "package.json"))) return candidate
    if (at === ".") return undefined
  }
}

async function findWorkspaces(root: string): Promise<Map<string, string>> {
  const folders = await Promise.all(
    ["packages", "services"].map(async (parent) =>
      (await readdir(join(root, parent))).map((name) => join(parent, name)),
    ),
  )
  const named = await Promise.all(
    folders
      .flat()
      .filter((folder) => existsSync(join(root, folder, "package.json")))
      .map(async (folder) => [(await readManifest(join(root, folder))).name, folder] as const),
  )
  return new Map(named)
}

async function readManifest(folder: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(folder, "package.json"), "utf8"))
}
