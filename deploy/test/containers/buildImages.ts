import { randomUUID } from "node:crypto"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { importNodeImage, importRuntimeImage } from "./localImages/nodeImages.ts"
import { localPrefix, obtainImage, run } from "./obtainImage.ts"

const root = fileURLToPath(new URL("../../..", import.meta.url))

export const processNames = [
  "setup",
  "trigger-gateway",
  "sync-scheduler",
  "webhook-dispatcher",
  "console",
] as const
export type ProcessName = (typeof processNames)[number]

/** Several runs can use one Docker daemon, and each removes its images. */
const tag = `built-${randomUUID()}`

export const imageOf = (process: ProcessName) => `${localPrefix}${process}:${tag}`

/** Builds the five images. NODE_EXTRA_CA_CERTS, if it is set, is also given to the build. */
export async function buildImages() {
  const dockerfile = await readFile(new URL("../../Dockerfile", import.meta.url), "utf8")
  const pinned = (name: string) => new RegExp(`^ARG ${name}=(\\S+)$`, "m").exec(dockerfile)?.[1] ?? ""
  const node = await obtainImage(pinned("NODE_IMAGE"), importNodeImage)
  const runtime = await obtainImage(pinned("RUNTIME_IMAGE"), importRuntimeImage)
  const bases = ["--build-arg", `NODE_IMAGE=${node}`, "--build-arg", `RUNTIME_IMAGE=${runtime}`]
  const ca = process.env.NODE_EXTRA_CA_CERTS
  const secrets = ca ? ["--secret", `id=ca,src=${ca}`] : []
  const docker = await findBuilder()
  for (const name of processNames) {
    const target = ["-f", "deploy/Dockerfile", "--target", name, "-t", imageOf(name)]
    await run(docker, ["build", "--progress=plain", ...target, ...bases, ...secrets, "."], {
      cwd: root,
      env: { ...process.env, DOCKER_BUILDKIT: "1" },
      maxBuffer: 64 << 20,
    })
  }
}

/** The first `docker` on the PATH that builds with BuildKit: some have neither BuildKit nor the plugin buildx. */
async function findBuilder(): Promise<string> {
  const { stdout } = await run("which", ["-a", "docker"])
  for (const docker of stdout.trim().split("\n")) {
    const env = { ...process.env, DOCKER_BUILDKIT: "1" }
    const help = await run(docker, ["build", "--help"], { env }).catch(() => undefined)
    if (help?.stdout.includes("--secret")) return docker
  }
  throw new Error("No docker on the PATH builds with BuildKit. Install the plugin buildx.")
}
