import { execFile } from "node:child_process"
import { readFile, realpath } from "node:fs/promises"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { importImage, librariesOf } from "./importImage.ts"

/** In the shape of the official Node image, as far as the build needs it. */
export async function importNodeImage(name: string) {
  const npm = join(dirname(await realpath((await promisify(execFile)("which", ["npm"])).stdout.trim())), "..")
  await importImage({
    name,
    programs: [
      "sh",
      "env",
      "find",
      "mkdir",
      "cp",
      "touch",
      { from: await realpath(process.execPath), to: "/usr/local/bin/node" },
    ],
    copies: [{ from: npm, to: "/usr/local/lib/node_modules/npm" }],
    links: {
      "/usr/local/bin/npm": "../lib/node_modules/npm/bin/npm-cli.js",
      "/usr/local/bin/npx": "../lib/node_modules/npm/bin/npx-cli.js",
    },
    settings: ["ENV PATH=/usr/local/bin:/usr/bin:/bin"],
  })
}

/** In the shape of a distroless image: the libraries that Node loads, certificates, and no program at all. */
export async function importRuntimeImage(name: string) {
  await importImage({
    name,
    programs: [],
    copies: (await librariesOf(await realpath(process.execPath))).map((library) => ({
      from: library,
      to: library,
    })),
    files: {
      "/etc/ssl/certs/ca-certificates.crt": {
        content: await readFile("/etc/ssl/certs/ca-certificates.crt", "utf8"),
      },
      "/etc/passwd": {
        content: "root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:65532:65532::/home/nonroot:/sbin/nologin\n",
      },
    },
    settings: ["USER 65532"],
  })
}
