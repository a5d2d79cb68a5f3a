import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { waitUntil } from "@sitewire/testkit"
import { findUv, needs } from "@sitewire/testkit/needs"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { stringify } from "yaml"
import { combinations } from "../combinations.ts"
import { renderOverlayText } from "../render.ts"
import { chartComponents, writeChart } from "../writeChart.ts"
import { pythonWithHelm } from "./fixtures/pythonWithHelm.ts"
import { readAutoscalingStep } from "./fixtures/readAutoscalingStep.ts"
import { type Cluster, findKubernetes, startCluster } from "./fixtures/startCluster.ts"

// kubectl and Helm are installed with pip.
needs(findUv)
const isBuilt = needs(findKubernetes)

const root = join(import.meta.dirname, "../..")
const run = promisify(execFile)
const services = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher"]
let cluster: Cluster

beforeAll(async () => {
  if (!isBuilt) return
  const { stdout } = await run(join(root, "deploy/goTools/install"))
  cluster = await startCluster()
  // Of the operators that the components need.
  await cluster.shell(`kubectl apply --server-side -f '${stdout.trim()}/definitions'`)
  await cluster.shell("kubectl wait --for=condition=Established crd --all --timeout=60s")
}, 600_000)
afterAll(() => cluster?.stop())

/** With the Pod Security label of deploy/kustomize/namespace.yaml, whose violations the API server warns of. */
async function createNamespace(name: string): Promise<void> {
  const text = await readFile(join(root, "deploy/kustomize/namespace.yaml"), "utf8")
  await cluster.kubectl(["apply"], text.replace("name: sitewire", `name: ${name}`))
}

test.each(Object.entries(combinations))(
  "%s is accepted without a warning, again without a change, as the next version, and by a server-side apply",
  async (name, { overlay, ...changes }) => {
    const namespace = `of-${name}`
    await createNamespace(namespace)
    const applied: [string, ...string[]][] = [
      ["0.1.0"],
      ["0.2.0"],
      ["0.2.0", "--server-side", "--force-conflicts"],
    ]
    for (const [tag, ...options] of applied) {
      const text = await renderOverlayText(overlay, { ...changes, tag, more: { namespace } })
      await cluster.kubectl(["apply", "--validate=strict", ...options], text)
      expect(await cluster.kubectl(["diff", ...options], text)).toBe("")
    }
  },
)

test("Flux's own definitions accept the resources of the page", async () => {
  const page = await readFile(join(root, "deploy/examples/gitops.md"), "utf8")
  const marked = /<!-- validated by npm run test:extended -->\n```yaml\n([\s\S]*?)```/g
  const examples = [...page.matchAll(marked)].map(([, text = ""]) => text)
  expect(examples).toHaveLength(2)
  for (const namespace of ["flux-system", "sitewire"]) await createNamespace(namespace)
  for (const text of examples)
    await cluster.kubectl(["create", "--dry-run=server", "--validate=strict"], text)
})

test("autoscaling is added later without fewer pods meanwhile, after the step of the page", async () => {
  const namespace = "sitewire"
  await createNamespace(namespace)
  const apply = async (components: string[]) =>
    cluster.kubectl(["apply"], await renderOverlayText("production", { components }))
  const replicas = async () => {
    const columns = "jsonpath={range .items[*]}{.metadata.name}={.spec.replicas} {end}"
    return cluster.kubectl(["-n", namespace, "get", "deployment", ...services, "-o", columns])
  }
  await apply(["console"])
  const before = await replicas()
  await cluster.shell(await readAutoscalingStep())
  await apply(["console", "autoscaling"])
  expect(await replicas()).toBe(before)
  expect(before).toContain("trigger-gateway=2")
})

const installChart = `
import json, sys, helm_python as helm
chart, values = sys.argv[1], json.loads(sys.argv[2])
with helm.Config(namespace="helm") as config:
    first = config.install(chart, "mine", values)
    again = config.upgrade(chart, "mine", values)
    newer = config.upgrade(chart, "mine", {**values, "tag": "0.2.0"})
    config.rollback("mine", version=1)
    print(json.dumps([each["status"] for each in (first, again, newer, config.status("mine"))]))
`
const testChart = `
import sys, helm_python as helm
with helm.Config(namespace="helm") as config:
    config.test("mine", timeout=100)
`

describe("the chart", () => {
  const helm = async (script: string, ...args: string[]) => {
    const { stdout } = await run(await pythonWithHelm(), ["-c", script, ...args], { env: cluster.env })
    return stdout
  }

  test("is installed by Helm, upgraded, and rolled back", async () => {
    await createNamespace("helm")
    const folder = await mkdtemp(join(tmpdir(), "sitewire-chart-"))
    await writeChart(folder)
    const values = {
      registry: "registry.acme.example/sitewire",
      components: chartComponents.filter((name) => name !== "ingress"),
      installation: { HOST: "hooks.acme.example" },
      settings: { common: { KAFKA_BROKERS: "kafka.acme.example:9092" } },
    }
    const states = await helm(installChart, folder, JSON.stringify(values))
    await rm(folder, { recursive: true })
    expect(JSON.parse(states)).toEqual(["deployed", "deployed", "deployed", "deployed"])
  })

  test("has a test, whose pod runs the setup without changing topics", async () => {
    const testing = helm(testChart)
    const pod = await waitUntil("the pod of the test", async () => {
      const text = await cluster.kubectl([
        "-n",
        "helm",
        "get",
        "pod",
        "--ignore-not-found",
        "-o",
        "json",
        "setup-test",
      ])
      return text === "" ? null : (JSON.parse(text) as Pod)
    })
    expect(pod.spec.containers[0]?.env).toContainEqual({ name: "MANAGE_TOPICS", value: "false" })
    // As a kubelet does when the process has ended with 0.
    await patchStatus("helm", "setup-test", { phase: "Succeeded" })
    await testing
  })
})

type Pod = {
  metadata: { name: string; deletionTimestamp?: string; labels: Record<string, string> }
  spec: { nodeName?: string; containers: { image: string; env: unknown[] }[] }
  status: { conditions?: { type: string; status: string }[] }
}

async function patchStatus(namespace: string, pod: string, status: object): Promise<void> {
  const patch = ["--subresource=status", "-p", JSON.stringify({ status })]
  await cluster.kubectl(["-n", namespace, "patch", "pod", pod, ...patch])
}

describe("with controllers, a scheduler, and a node in each of three zones", () => {
  const namespace = "zones"
  const zones = ["a", "b", "c"]
  const inNamespace = (...args: string[]) => ["-n", namespace, ...args]
  const get = async <Item>(...args: string[]): Promise<Item[]> =>
    JSON.parse(await cluster.kubectl(inNamespace("get", ...args, "-o", "json"))).items

  /** Those that are not ending: without a kubelet, none ever ends. */
  const podsOf = async (service: string): Promise<Pod[]> => {
    const pods = await get<Pod>("pod", "-l", `app.kubernetes.io/name=${service}`)
    return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined)
  }
  const setReady = ({ metadata }: Pod, status: "True" | "False") =>
    patchStatus(namespace, metadata.name, { phase: "Running", conditions: [{ type: "Ready", status }] })
  const isReady = ({ status }: Pod) =>
    status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false

  /** Applies a version, and does what kubelets do, until all pods are of this version. */
  async function rollOut(tag: string): Promise<void> {
    const changes = { tag, components: ["console", "default-deny"], more: { namespace } }
    await cluster.kubectl(["apply"], await renderOverlayText("production", changes))
    const isDone = async (service: string) => {
      const pods = await podsOf(service)
      for (const pod of pods) if (pod.spec.nodeName && !isReady(pod)) await setReady(pod, "True")
      return (
        pods.length === 2 &&
        pods.every((pod) => isReady(pod) && pod.spec.containers[0]?.image.endsWith(`:${tag}`))
      )
    }
    for (const service of services) await waitUntil(`${service} ${tag}`, () => isDone(service))
  }

  const evict = async ({ metadata: { name } }: Pod) => {
    const path = `/api/v1/namespaces/${namespace}/pods/${name}/eviction`
    const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } }
    await cluster.kubectl(["create", "--raw", path], eviction)
  }
  const allowedDisruptions = async (service: string) => {
    type Budget = { metadata: { name: string }; status: { disruptionsAllowed: number } }
    const budgets = await get<Budget>("poddisruptionbudget")
    return budgets.find(({ metadata }) => metadata.name === service)?.status.disruptionsAllowed
  }

  beforeAll(async () => {
    if (!isBuilt) return
    const nodes = zones.map((zone) => ({
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name: `node-${zone}`,
        labels: { "kubernetes.io/hostname": `node-${zone}`, "topology.kubernetes.io/zone": zone },
      },
      status: {
        allocatable: { cpu: "8", memory: "16Gi", pods: "100" },
        conditions: [{ type: "Ready", status: "True" }],
      },
    }))
    await cluster.kubectl(["create"], nodes.map((node) => stringify(node)).join("---\n"))
    await cluster.kubectl(["taint", "node", "--all", "node.kubernetes.io/not-ready-"])
    await createNamespace(namespace)
    await cluster.startControllers()
    await rollOut("0.1.0")
  })

  test("the namespace admits the pods of all processes, and no pod that may do more", async () => {
    for (const name of [...services, "console", "setup"]) expect(await podsOf(name)).not.toEqual([])
    await expect(cluster.kubectl(inNamespace("run", "other", "--image=other"))).rejects.toThrow(
      /violates PodSecurity "restricted/,
    )
  })

  test("the pods of a service are in different zones, also after an upgrade", async () => {
    const distinct = async (service: string) =>
      new Set((await podsOf(service)).map(({ spec }) => spec.nodeName)).size
    expect(await Promise.all(services.map(distinct))).toEqual([2, 2, 2])
    await rollOut("0.2.0")
    expect(await Promise.all(services.map(distinct))).toEqual([2, 2, 2])
  })

  test("one pod of a service is evicted, and no second one until its successor is ready", async () => {
    const service = "webhook-dispatcher"
    await waitUntil("a budget of one", async () => (await allowedDisruptions(service)) === 1)
    const [first, second] = await podsOf(service)
    if (!first || !second) throw new Error(`there are no two pods of ${service}`)
    await evict(first)
    await expect(evict(second)).rejects.toThrow(/disruption budget/)
    await waitUntil("a ready successor", async () => {
      const pods = await podsOf(service)
      for (const pod of pods) if (pod.spec.nodeName && !isReady(pod)) await setReady(pod, "True")
      return (await allowedDisruptions(service)) === 1
    })
    await evict(second)
  })

  test("while no pod is ready, for example without Kafka, all can be evicted", async () => {
    const pods = await podsOf("sync-scheduler")
    for (const pod of pods) await setReady(pod, "False")
    await waitUntil(
      "no disruption to be allowed",
      async () => (await allowedDisruptions("sync-scheduler")) === 0,
    )
    for (const pod of pods) await evict(pod)
  })
})
