import { execFile, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"

const run = promisify(execFile)

export type LocalImage = {
  name: string
  /** Programs of this machine, with the libraries that they load. Put at the same path, or at the given one. */
  programs: (string | { from: string; to: string })[]
  /** Folders or files that are copied, with links resolved if `dereference` is set. */
  copies?: { from: string; to: string; dereference?: boolean }[]
  files?: Record<string, { content: string; mode?: number }>
  links?: Record<string, string>
  /** Instructions of a Dockerfile, such as `ENV A=b`. */
  settings?: string[]
}

/** Makes an image from files of this machine, for machines that cannot pull the official one. */
export async function importImage({
  name,
  programs,
  copies = [],
  files = {},
  links = {},
  settings = [],
}: LocalImage) {
  const root = await mkdtemp(join(tmpdir(), "sitewire-image-"))
  try {
    for (const folder of ["tmp", "usr/bin", "etc", "root", "var"])
      await mkdir(join(root, folder), { recursive: true })
    for (const program of programs) {
      const found = typeof program === "string" ? (await run("which", [program])).stdout.trim() : program.from
      await put(found, join(root, typeof program === "string" ? join("usr/bin", program) : program.to))
      for (const library of await librariesOf(found)) await put(library, join(root, library))
    }
    for (const { from, to, dereference = true } of copies) {
      await cp(from, join(root, to), { recursive: true, dereference, verbatimSymlinks: !dereference })
    }
    const defaults = {
      "/etc/passwd": {
        content: "root:x:0:0:root:/root:/bin/sh\npostgres:x:70:70::/var/lib/postgresql:/bin/sh\n",
      },
      "/etc/group": { content: "root:x:0:\npostgres:x:70:\n" },
      "/etc/nsswitch.conf": { content: "hosts: files dns\n" },
    }
    for (const [path, { content, mode }] of Object.entries<{ content: string; mode?: number }>({
      ...defaults,
      ...files,
    })) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), content, { mode: mode ?? 0o644 })
    }
    for (const [path, target] of Object.entries({ "/bin": "usr/bin", ...links })) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await symlink(target, join(root, path))
    }
    const changes = settings.flatMap((setting) => ["--change", setting])
    const modes = ["--owner=0", "--group=0", "--numeric-owner", "--mode=u=rwX,go=rX"]
    await pipe(["tar", "-C", root, "-c", ...modes, "."], ["docker", "import", ...changes, "-", name])
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

export async function librariesOf(program: string): Promise<string[]> {
  const { stdout } = await run("ldd", [program]).catch(() => ({ stdout: "" }))
  const loaded = [...stdout.matchAll(/(?:=> )?(\/\S+) \(0x/g)].map(([, path = ""]) => path)
  // Libraries that belong to glibc, and that addons load.
  const glibc = loaded.filter((path) => path.includes("/libc.so")).map((path) => dirname(path))
  const further = glibc.flatMap((folder) =>
    ["librt.so.1", "libutil.so.1", "libresolv.so.2"].map((name) => join(folder, name)),
  )
  return [...loaded, ...further.filter((path) => existsSync(path))]
}

async function put(from: string, to: string) {
  await mkdir(dirname(to), { recursive: true })
  await cp(from, to, { dereference: true })
}

async function pipe([from = "", ...fromArgs]: string[], [to = "", ...toArgs]: string[]) {
  const source = spawn(from, fromArgs, { stdio: ["ignore", "pipe", "inherit"] })
  const target = spawn(to, toArgs, { stdio: [source.stdout, "ignore", "inherit"] })
  const code = await new Promise((resolve) => target.once("close", resolve))
  if (code !== 0) throw new Error(`${to} ${toArgs.join(" ")} exited with ${code}`)
}
