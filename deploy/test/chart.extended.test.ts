import { execFile } from "node:child_process"
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { findUv, needs } from "@sitewire/testkit/needs"
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest"
import { z } from "zod"
import { parseRendered, type Rendered, renderOverlay } from "../render.ts"
import { chartComponents, writeChart } from "../writeChart.ts"
import { findHelm, pythonWithHelm } from "./fixtures/pythonWithHelm.ts"
import { processesOf } from "./fixtures/readManifests.ts"
import { startRegistry } from "./fixtures/startRegistry.ts"

// kubectl and Helm are installed with pip.
needs(findUv)
const isHere = needs(findHelm)

const run = promisify(execFile)
const rendered = z.union([
  z.strictObject({ manifests: z.record(z.string(), z.string()) }),
  z.strictObject({ error: z.string() }),
])
const script = `
import json, sys, helm_python as helm
with helm.Chart.load(sys.argv[1]) as chart:
    values = json.loads(sys.argv[2])
    try:
        chart.validate_schema(values)
        print(json.dumps({"manifests": chart.render(values, name="mine", namespace=sys.argv[3])}))
    except helm.HelmError as error:
        print(json.dumps({"error": str(error)}))
`

const folder = await mkdtemp(join(tmpdir(), "sitewire-chart-"))
let python: string

beforeAll(async () => {
  if (!isHere) return
  python = await pythonWithHelm()
  await writeChart(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The three values that nobody can guess. */
const values = {
  registry: "registry.acme.example/sitewire",
  installation: { HOST: "hooks.acme.example" },
  settings: { common: { KAFKA_BROKERS: "kafka.acme.example:9092" } },
}

async function helm(changes: object, namespace = "sitewire"): Promise<z.infer<typeof rendered>> {
  const all = JSON.stringify({ ...values, ...changes })
  const { stdout } = await run(python, ["-c", script, folder, all, namespace])
  return rendered.parse(JSON.parse(stdout))
}

async function renderChart(changes: object, namespace?: string): Promise<Rendered[]> {
  const chart = await helm(changes, namespace)
  if ("error" in chart) throw new Error(chart.error)
  return Object.entries(chart.manifests)
    .filter(([path]) => path.endsWith(".yaml") && !path.endsWith("/setup-test.yaml"))
    .flatMap(([, text]) => parseRendered(text))
}

/** In order, without the hashes in names, which the chart has only for the setup job, and without its hash of the settings. */
function comparable(resources: Rendered[]): unknown[] {
  const text = JSON.stringify(resources.toSorted((a, b) => idOf(a).localeCompare(idOf(b))))
  return JSON.parse(
    text
      .replaceAll(
        /"((?:sitewire-(?:channels|common|egress|partners|retries|setup)|[a-z-]+-defaults|setup|webhook-dispatcher))-(?=[a-z0-9]*\d)[a-z0-9]{10}"/g,
        '"$1"',
      )
      .replaceAll(/"annotations":\{"sitewire\/settings":"[a-z0-9]{10}"\},/g, ""),
  )
}
const idOf = ({ kind, metadata }: Rendered) => `${kind}/${metadata.name}`

test.each([
  { components: ["console", "default-deny", "gateway-api"] },
  { components: [] },
  { components: ["console", "default-deny", "kafka-external", "postgres-external", "gateway-api"] },
  { components: chartComponents.filter((name) => name !== "ingress") },
  {
    components: ["console", "ingress", "cert-manager", "monitoring"],
    own: { CHANNEL_MAX_CONCURRENCY: "20" },
    RETENTION: "7d",
    priorityClassName: "webhooks",
  },
])("with $components, the chart renders to what kustomize makes", async (one) => {
  const { components, own, RETENTION, priorityClassName } = one
  const operation = { op: "add", path: "/spec/template/spec/priorityClassName", value: priorityClassName }
  const common = { ...values.settings.common, ...(RETENTION && { RETENTION }) }
  const external = { KAFKA_CIDR: "10.40.0.0/16", KAFKA_PORT: "9098", POSTGRES_CIDR: "10.50.0.0/28" }
  const installation = { ...values.installation, GATEWAY_CLASS: "eg", SECRET_STORE: "aws", ...external }
  const kustomize = await renderOverlay("production", {
    components,
    settings: {
      installation: { ...installation, POSTGRES_PORT: "5432" },
      "sitewire-common": common,
      ...(own && { "webhook-dispatcher": own }),
    },
    more: {
      images: ["setup", "trigger-gateway", "sync-scheduler", "webhook-dispatcher", "console"].map((name) => ({
        name: `sitewire/${name}`,
        newName: `${values.registry}/${name}`,
        newTag: "0.1.0",
      })),
      ...(priorityClassName && {
        patches: [{ target: { kind: "Deployment" }, patch: JSON.stringify([operation]) }],
      }),
    },
  })
  const settings = { common, ...(own && { "webhook-dispatcher": own }) }
  const resources = await renderChart({
    ...{ components, installation, settings },
    ...(priorityClassName && { priorityClassName }),
  })
  expect(comparable(resources)).toEqual(comparable(kustomize))
})

test("a process's own setting replaces the manifests' default", async () => {
  const own = { "trigger-gateway": { GATEWAY_DRAIN_DELAY: "60s" }, console: { GATEWAY_ORIGIN: "" } }
  const processes = processesOf(await renderChart({ settings: { ...values.settings, ...own } }))
  const settingOf = (name: string, variable: string) =>
    processes.find((process) => process.name === name)?.environment.get(variable)
  expect(settingOf("trigger-gateway", "GATEWAY_DRAIN_DELAY")).toEqual({ value: "60s" })
  expect(settingOf("trigger-gateway", "SHUTDOWN_DEADLINE")).toEqual({ value: "50s" })
  expect(settingOf("console", "GATEWAY_ORIGIN")).toEqual({ value: "" })
})

test("a changed setting deletes no ConfigMap that older pods read, and starts new pods of those that read it", async () => {
  const settings = { ...values.settings, egress: { ALLOWED_PORTS: "443" } }
  const [before, after] = await Promise.all([renderChart({}), renderChart({ settings })])
  const namesOf = (resources: Rendered[]) =>
    resources.filter(({ kind }) => kind === "ConfigMap").map(({ metadata }) => metadata.name)
  expect(namesOf(after)).toEqual(namesOf(before))
  const templateOf = (resources: Rendered[], name: string) =>
    JSON.stringify(
      resources.find(({ kind, metadata }) => kind === "Deployment" && metadata.name === name)?.spec,
    )
  const changed = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher", "console"].filter(
    (name) => templateOf(before, name) !== templateOf(after, name),
  )
  expect(changed).toEqual(["sync-scheduler", "webhook-dispatcher", "console"])
})

test("KEDA reads the topics and groups with the prefix, and the syncs of the release's namespace", async () => {
  const settings = { common: { ...values.settings.common, TOPIC_PREFIX: "eu." } }
  const text = JSON.stringify(await renderChart({ components: ["autoscaling"], settings }, "webhooks"))
  for (const name of ["site.paid", "webhook-dispatcher.paid"]) expect(text).toContain(`"eu.${name}"`)
  expect(text).toContain('"consumerGroup":"eu.sync-scheduler"')
  expect(text).toContain('"topic":"eu.connector.triggered"')
  expect(text).toContain('sum(sitewire_syncs_running{namespace=\\"webhooks\\"})')
})

test.each([
  ["no address of Kafka", { settings: { common: { KAFKA_BROKERS: null } } }, /KAFKA_BROKERS/],
  ["no registry", { registry: null }, /registry/],
  ["no host", { installation: {} }, /HOST/],
  ["a variable that no process reads", { settings: { common: { LOG_LEVELS: "info" } } }, /LOG_LEVELS/],
  [
    "a variable that no reader of a ConfigMap reads",
    { settings: { retries: { SYNC_WINDOW: "1m" } } },
    /SYNC_WINDOW/,
  ],
  ["a variable of another process", { settings: { console: { GATEWAY_PORT: "80" } } }, /GATEWAY_PORT/],
  ["a secret in a ConfigMap", { settings: { console: { SEALING_KEYS: "k1:" } } }, /SEALING_KEYS/],
  ["a number in a ConfigMap", { settings: { setup: { TOPIC_REPLICATION: 1 } } }, /TOPIC_REPLICATION/],
  ["an external Kafka without addresses", { components: ["default-deny", "kafka-external"] }, /KAFKA_CIDR/],
  ["an unknown component", { components: ["consoles"] }, /components/],
  ["two entrances", { components: ["ingress", "gateway-api"] }, /not/],
  ["no replicas", { replicas: { "trigger-gateway": 0 } }, /trigger-gateway/],
  ["an unknown value", { image: "x" }, /image/],
])("%s is rejected", async (_, changes, message) => {
  expect(await helm(changes)).toEqual({ error: expect.stringMatching(message) })
})

test("the chart's test reads the settings and Secrets that the setup job reads", async () => {
  const chart = await helm({})
  if ("error" in chart) throw new Error(chart.error)
  const test = Object.entries(chart.manifests).find(([path]) => path.endsWith("/setup-test.yaml"))?.[1] ?? ""
  const job = (await renderChart({})).find(({ kind }) => kind === "Job")
  const read = /"envFrom":(\[.*?\])/
  const [ofTest] = read.exec(JSON.stringify(parseRendered(test)))?.slice(1) ?? []
  expect(ofTest).toContain("secretRef")
  expect(ofTest).toBe(read.exec(JSON.stringify(job))?.[1])
})

const pushAndPull = `
import sys, helm_python as helm
archive, remote, to = sys.argv[1:]
with helm.RegistryClient(plain_http=True, credentials_file=to + "/credentials.json") as client:
    client.push(archive, remote, plain_http=True)
    client.pull(remote + "/sitewire", version="0.1.0", destination=to, plain_http=True)
`

test("Helm pushes the packed chart to a registry, and pulls the same bytes", async () => {
  const registry = await startRegistry()
  const parent = await mkdtemp(join(tmpdir(), "sitewire-packed-"))
  onTestFinished(async () => {
    registry.close()
    await rm(parent, { recursive: true })
  })
  const [packed, pulled] = [join(parent, "packed"), join(parent, "pulled")]
  for (const created of [packed, pulled]) await mkdir(created)
  await run(join(import.meta.dirname, "../packChart"), [packed])
  const archive = "sitewire-0.1.0.tgz"
  await run(python, ["-c", pushAndPull, join(packed, archive), `oci://${registry.host}/charts`, pulled])
  const [before, after] = await Promise.all([packed, pulled].map((from) => readFile(join(from, archive))))
  expect(before && after?.equals(before)).toBe(true)
})
