import { execFile } from "node:child_process"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { promisify } from "node:util"
import { findUv, needs } from "@sitewire/testkit/needs"
import { expect, onTestFinished, test } from "vitest"
import { stringify } from "yaml"
import { renderOverlay, toolsFolder } from "../render.ts"
import { readAutoscalingStep } from "./fixtures/readAutoscalingStep.ts"
import { startApiServer } from "./fixtures/startApiServer.ts"

// kubectl is installed with pip.
needs(findUv)

const run = promisify(execFile)
const services = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher"]

/** kubectl with an API server of its own that has the Deployments of the overlay `production` without autoscaling. */
async function startCluster() {
  const server = await startApiServer()
  const folder = await mkdtemp(join(tmpdir(), "sitewire-apply-"))
  onTestFinished(async () => {
    server.close()
    await rm(folder, { recursive: true })
  })
  const config = {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "test", cluster: { server: server.url } }],
    contexts: [{ name: "test", context: { cluster: "test", user: "test" } }],
    "current-context": "test",
    users: [{ name: "test", user: {} }],
  }
  await writeFile(join(folder, "config"), stringify(config))
  const path = `${join(await toolsFolder(), "bin")}${delimiter}${process.env.PATH}`
  const env = { ...process.env, PATH: path, HOME: folder, KUBECONFIG: join(folder, "config") }
  const shell = (script: string) => run("bash", ["-euo", "pipefail", "-c", script], { env })
  const apply = async (components: string[]) => {
    const resources = await renderOverlay("production", { components })
    const deployments = resources.filter(({ kind }) => kind === "Deployment")
    await writeFile(join(folder, "all.yaml"), deployments.map((one) => stringify(one)).join("---\n"))
    await shell(`kubectl apply --validate=false -f ${join(folder, "all.yaml")}`)
    return server.takePatches()
  }
  expect(await apply(["console"])).toEqual([])
  return { server, shell, apply }
}

test("a second apply changes nothing", async () => {
  const { apply } = await startCluster()
  expect(await apply(["console"])).toEqual([])
})

test("autoscaling is added later without fewer pods meanwhile, after the step of the page", async () => {
  const { server, shell, apply } = await startCluster()
  await shell(await readAutoscalingStep())
  for (const { body } of server.takePatches()) expect(Object.keys(body)).toEqual(["metadata"])
  await apply(["console", "autoscaling"])
  expect(services.map(server.replicasOf)).toEqual([2, 2, 2])
})
