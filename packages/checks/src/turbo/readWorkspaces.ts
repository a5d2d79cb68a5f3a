import { readFile } from "node:fs/promises"
import { listFiles } from "../listFiles.ts"

export type Workspace = {
  name: string
  /** Relative to the repository, such as `packages/kafka`. */
  folder: string
  scripts: string[]
  /** Names of the workspaces that its sources import. */
  dependencies: string[]
  devDependencies: string[]
  /** Folders of workspaces that its code or tests start as processes. */
  startedFolders: string[]
  hasTests: boolean
}

export async function readWorkspaces(root: URL): Promise<Workspace[]> {
  const files = listFiles(root)
  const read = (path: string) => readFile(new URL(path, root), "utf8")
  const folders = files
    .filter((path) => /^(deploy|(packages|services)\/[^/]+)\/package\.json$/.test(path))
    .map((path) => path.replace("/package.json", ""))
  const manifests = new Map<string, Manifest>()
  for (const folder of folders) manifests.set(folder, JSON.parse(await read(`${folder}/package.json`)))
  const names = new Set([...manifests.values()].map(({ name }) => name))
  const onlyWorkspaces = (ranges: Record<string, string> = {}) =>
    Object.keys(ranges).filter((name) => names.has(name))

  return Promise.all(
    [...manifests].map(async ([folder, manifest]) => {
      const sources = files.filter((path) => path.startsWith(`${folder}/`) && path.endsWith(".ts"))
      const started = new Set<string>()
      for (const path of sources) for (const other of findStarted(await read(path))) started.add(other)
      started.delete(folder)
      return {
        name: manifest.name,
        folder,
        scripts: Object.keys(manifest.scripts ?? {}),
        dependencies: onlyWorkspaces(manifest.dependencies),
        devDependencies: onlyWorkspaces(manifest.devDependencies),
        startedFolders: [...started].filter((other) => manifests.has(other)),
        hasTests: sources.some((path) => path.endsWith(".test.ts")),
      }
    }),
  )
}

/** Maps the names by which packages/installation starts the services to their folders. */
const serviceFolders = new Map([
  ["gateway", "services/trigger-gateway"],
  ["scheduler", "services/sync-scheduler"],
  ["dispatcher", "services/webhook-dispatcher"],
  ["console", "packages/console"],
])

/**
 * Finds the folders whose processes a source file starts: the file contains the path of a main file, or calls
 * an installation's `start`.
 */
function findStarted(source: string): string[] {
  const paths = [...source.matchAll(/\b((?:packages|services)\/[a-z-]+)\/src\/main\.ts/g)]
  const names = [...source.matchAll(/\.start\(\s*"([a-z]+)"/g)]
  return [
    ...[...paths].map(([, folder]) => folder ?? ""),
    ...[...names].map(([, name]) => serviceFolders.get(name ?? "") ?? ""),
  ]
}

type Manifest = {
  name: string
  scripts?: Record<string, string>
  dependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}
