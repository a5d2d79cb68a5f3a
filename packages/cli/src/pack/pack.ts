import { execFile } from "node:child_process"
import { chmod, copyFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import packageJson from "../../package.json" with { type: "json" }
import { bundle } from "./bundle.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const readme = `# sitewire

The command line of Sitewire: channels, connections, deliveries and syncs. It needs Node 20 or newer, and no other package.

    sitewire profile add production --api https://sitewire.example
    sitewire doctor
    sitewire --help
`

/** Writes an archive that \`npm install\` installs without a clone of the repository. Returns its path. */
export async function pack(destination: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-pack-"))
  try {
    const { modules } = await bundle(join(folder, "dist"))
    await chmod(join(folder, "dist", "sitewire.js"), 0o755)
    await copyFile(join(root, "LICENSE"), join(folder, "LICENSE"))
    await writeFile(join(folder, "THIRD-PARTY-LICENSES"), await readLicences(modules))
    await writeFile(join(folder, "README.md"), readme)
    await writeFile(join(folder, "package.json"), JSON.stringify(manifest(), null, 2))
    await mkdir(destination, { recursive: true })
    const { stdout } = await promisify(execFile)(
      "npm",
      ["pack", "--json", "--ignore-scripts", "--pack-destination", destination],
      { cwd: folder, shell: process.platform === "win32" },
    )
    return join(destination, JSON.parse(stdout)[0].filename)
  } finally {
    await rm(folder, { recursive: true })
  }
}

function manifest(): object {
  const { name, version, license } = packageJson
  return {
    name,
    version,
    description: "The command line of Sitewire.",
    license,
    // Not for a public registry.
    private: true,
    type: "module",
    bin: { sitewire: "dist/sitewire.js" },
    files: ["dist", "THIRD-PARTY-LICENSES"],
    engines: { node: ">=20" },
  }
}

/** The licences of the packages that these modules belong to, as one text. */
async function readLicences(modules: readonly string[]): Promise<string> {
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
