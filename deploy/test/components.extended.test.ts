import { readdir, readFile } from "node:fs/promises"
import { findUv, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { parse } from "yaml"
import { z } from "zod"
import { groupNames, topicCatalogue } from "../../packages/contracts/src/index.ts"
import { combinations } from "../combinations.ts"
import { type Rendered, renderOverlay } from "../render.ts"
import { topicSettings } from "../strimzi.ts"
import { processesOf } from "./fixtures/readManifests.ts"

// kubectl and the analyser of policies are installed with pip.
needs(findUv)

const overlaysFolder = new URL("../kustomize/overlays/", import.meta.url)
const componentsFolder = new URL("../kustomize/components/", import.meta.url)
const examplesFolder = new URL("../examples/", import.meta.url)
const scaledServices = ["sync-scheduler", "trigger-gateway", "webhook-dispatcher"]

const find = (resources: Rendered[], kind: string, name: string) =>
  resources.find((resource) => resource.kind === kind && resource.metadata.name === name)

const container = z.looseObject({
  ports: z.array(z.looseObject({ protocol: z.string() })).default([]),
  env: z.array(
    z.looseObject({ name: z.string(), value: z.string().optional(), valueFrom: z.unknown().optional() }),
  ),
  volumeMounts: z.array(z.looseObject({ mountPath: z.string() })).default([]),
})
const workload = z.looseObject({
  replicas: z.number().optional(),
  template: z.object({
    metadata: z.object({ labels: z.record(z.string(), z.string()) }),
    spec: z.looseObject({
      securityContext: z.looseObject({}),
      volumes: z.array(z.looseObject({})),
      containers: z.tuple([container]),
    }),
  }),
})

function workloads(resources: Rendered[]) {
  return resources
    .filter(({ kind }) => kind === "Deployment" || kind === "Job")
    .map(({ kind, metadata, spec }) => {
      const { replicas, template } = workload.parse(spec)
      const [only] = template.spec.containers
      const name = metadata.name.replace(/^setup-.*/, "setup")
      const environment = new Map(only.env.map((entry) => [entry.name, entry]))
      return { kind, name, replicas, template, container: only, environment }
    })
}

test("each component is in a combination that is validated", async () => {
  const used = new Set<string>()
  for (const { components } of Object.values(combinations))
    for (const name of components ?? []) used.add(name)
  const folders = await Promise.all([componentsFolder, examplesFolder].map((folder) => readdir(folder)))
  expect([...used].sort()).toEqual(
    folders
      .flat()
      .filter((name) => !name.endsWith(".md"))
      .sort(),
  )
})

test("an overlay is one file, and keeps to the order that components need", async () => {
  for (const overlay of await readdir(overlaysFolder)) {
    expect(await readdir(new URL(`${overlay}/`, overlaysFolder))).toEqual(["kustomization.yaml"])
    const text = await readFile(new URL(`${overlay}/kustomization.yaml`, overlaysFolder), "utf8")
    const { components } = z.looseObject({ components: z.array(z.string()) }).parse(parse(text))
    expect(components.slice(0, 2)).toEqual(
      ["console", "default-deny"].map((name) => `../../components/${name}`),
    )
  }
})

test("every port has a protocol, without which server-side apply cannot merge", async () => {
  for (const [name, { overlay, ...changes }] of Object.entries(combinations)) {
    const resources = await renderOverlay(overlay, changes)
    for (const { container } of workloads(resources))
      for (const port of container.ports)
        expect([name, port]).toEqual([name, expect.objectContaining({ protocol: "TCP" })])
    const ports = resources
      .filter(({ kind }) => kind === "Service")
      .flatMap(({ spec }) => z.object({ ports: z.array(z.looseObject({})) }).parse(spec).ports)
    expect(ports.length).toBeGreaterThan(0)
    for (const port of ports)
      expect([name, port]).toEqual([name, expect.objectContaining({ protocol: "TCP" })])
  }
})

const scaledObject = z.object({
  minReplicaCount: z.number(),
  maxReplicaCount: z.number(),
  triggers: z.tuple([z.object({ metadata: z.record(z.string(), z.string()) })]).rest(
    z.object({
      type: z.literal("prometheus"),
      metadata: z.object({ query: z.string(), threshold: z.string() }),
    }),
  ),
})

test("with autoscaling no manifest has replicas, and consumers are limited by the partitions of what they consume", async () => {
  const components = ["autoscaling"]
  const brokers = { "sitewire-common": { KAFKA_BROKERS: "a:9092,b:9092" } }
  const resources = await renderOverlay("production", { components, settings: brokers })
  for (const { name, kind, replicas } of workloads(resources))
    if (kind === "Deployment") expect([name, replicas]).toEqual([name, undefined])
  expect(find(resources, "HorizontalPodAutoscaler", "trigger-gateway")?.spec).toMatchObject({
    minReplicas: 3,
  })
  const { paid, triggers } = groupNames("")
  for (const [name, topicName, group] of [
    ["webhook-dispatcher", "site.paid", paid],
    ["sync-scheduler", "connector.triggered", triggers],
  ]) {
    const { triggers: scaled, ...counts } = scaledObject.parse(
      find(resources, "ScaledObject", name ?? "")?.spec,
    )
    const topic = topicCatalogue(topicSettings({})).find((one) => one.name === topicName)
    expect(counts).toEqual({ minReplicaCount: 3, maxReplicaCount: 6 })
    expect(topic?.partitions).toBeGreaterThanOrEqual(6)
    expect(scaled[0].metadata).toMatchObject({
      topic: topicName,
      consumerGroup: group,
      bootstrapServers: "a:9092,b:9092",
    })
  }
})

test("KEDA counts the syncs of the overlay's namespace only", async () => {
  const changes = { components: ["autoscaling"], more: { namespace: "webhooks" } }
  const object = find(await renderOverlay("production", changes), "ScaledObject", "sync-scheduler")
  expect(scaledObject.parse(object?.spec).triggers[1]?.metadata.query).toBe(
    'sum(sitewire_syncs_running{namespace="webhooks"})',
  )
})

test("a process's own setting replaces the manifests' default", async () => {
  const settings = { "trigger-gateway": { SHUTDOWN_DEADLINE: "90s" }, console: { GATEWAY_ORIGIN: "" } }
  const processes = processesOf(await renderOverlay("production", { components: ["console"], settings }))
  const settingOf = (name: string, variable: string) =>
    processes.find((process) => process.name === name)?.environment.get(variable)
  expect(settingOf("trigger-gateway", "SHUTDOWN_DEADLINE")).toEqual({ value: "90s" })
  expect(settingOf("console", "GATEWAY_ORIGIN")).toEqual({ value: "" })
})

test.each([
  ["argocd", { "argocd.argoproj.io/sync-options": "PruneLast=true" }],
  ["flux", { "kustomize.toolkit.fluxcd.io/prune": "disabled" }],
])(
  "with %s, no ConfigMap is deleted that pods of the version before need during a rollout",
  async (name, expected) => {
    const resources = await renderOverlay("production", { components: ["console", name] })
    const maps = resources.filter(({ kind }) => kind === "ConfigMap")
    expect(maps.length).toBeGreaterThan(4)
    for (const { metadata } of maps) expect(metadata).toMatchObject({ annotations: expected })
  },
)

test("without autoscaling the overlays say how many replicas there are", async () => {
  const counts = async (overlay: "production" | "single-node") =>
    workloads(await renderOverlay(overlay, { components: ["console"] }))
      .filter(({ kind }) => kind === "Deployment")
      .map(({ name, replicas }) => [name, replicas])
  expect(await counts("production")).toEqual([["console", 1], ...scaledServices.map((name) => [name, 2])])
  expect(await counts("single-node")).toEqual([["console", 1], ...scaledServices.map((name) => [name, 1])])
})

test("with Strimzi each process logs in as its own user, over TLS", async () => {
  const resources = await renderOverlay("production", { components: ["console", "strimzi"] })
  const users = resources.filter(({ kind }) => kind === "KafkaUser").map(({ metadata }) => metadata.name)
  for (const { name, environment } of workloads(resources)) {
    const user = `sitewire-${name}`
    expect(users).toContain(user)
    expect(environment.get("KAFKA_USERNAME")?.value).toBe(user)
    expect(environment.get("KAFKA_PASSWORD")?.valueFrom).toEqual({
      secretKeyRef: { name: user, key: "password" },
    })
    expect(environment.get("KAFKA_TLS")?.value).toBe("true")
  }
})

test("with CloudNativePG only the setup job has the owner's account, and all connect by TLS", async () => {
  const settings = { installation: { POSTGRES_CLUSTER: "main-db" } }
  const resources = await renderOverlay("production", {
    components: ["console", "cnpg", "openshift"],
    settings,
  })
  for (const { name, environment, template } of workloads(resources)) {
    const from = (variable: string) => environment.get(variable)?.valueFrom
    const account = name === "setup" ? "main-db-app" : `${name}-database`
    expect(from("POSTGRES_USER")).toEqual({ secretKeyRef: { name: account, key: "username" } })
    expect(from("POSTGRES_PASSWORD")).toEqual({ secretKeyRef: { name: account, key: "password" } })
    expect(from("POSTGRES_HOST")).toEqual({ secretKeyRef: { name: "main-db-app", key: "host" } })
    expect(from("POSTGRES_DATABASE")).toEqual({ secretKeyRef: { name: "main-db-app", key: "dbname" } })
    // Kubernetes replaces only variables that are before it.
    const order = [...environment.keys()].filter((variable) => /POSTGRES|DATABASE_URL/.test(variable))
    expect(order.at(-1)).toBe("DATABASE_URL")
    expect(environment.get("DATABASE_URL")).toEqual({
      name: "DATABASE_URL",
      value:
        "postgres://$(POSTGRES_USER):$(POSTGRES_PASSWORD)@$(POSTGRES_HOST)/$(POSTGRES_DATABASE)?sslmode=verify-full&sslrootcert=/postgres/ca.crt",
    })
    const items = [{ key: "ca.crt", path: "ca.crt" }]
    expect(template.spec.volumes).toContainEqual({
      name: "postgres-ca",
      secret: { secretName: "main-db-ca", items },
    })
  }
})

test("External Secrets makes every Secret, from the store that the overlay names", async () => {
  const settings = { installation: { SECRET_STORE: "vault" } }
  const resources = await renderOverlay("production", {
    components: ["console", "external-secrets"],
    settings,
  })
  const made = resources.filter(({ kind }) => kind === "ExternalSecret")
  const spec = z.object({ secretStoreRef: z.object({ name: z.literal("vault") }) })
  for (const secret of made) spec.parse(secret.spec)
  const names = made.map(({ metadata }) => metadata.name)
  for (const { name, container } of workloads(resources)) {
    const secrets = JSON.stringify(container).matchAll(
      /"(?:secretKeyRef|secretRef)":\{[^}]*"name":"([^"]+)"/g,
    )
    for (const [, secret] of secrets)
      expect([name, secret, names.includes(secret ?? "")]).toEqual([name, secret, true])
  }
})

test("on OpenShift no user id is fixed, and Node's compile cache is where any user may write", async () => {
  const resources = await renderOverlay("production", { components: ["console", "openshift"] })
  for (const { template, container, environment } of workloads(resources)) {
    expect(template.spec.securityContext).toEqual({
      runAsNonRoot: true,
      seccompProfile: { type: "RuntimeDefault" },
    })
    const cache = environment.get("NODE_COMPILE_CACHE")?.value
    expect(container.volumeMounts.map(({ mountPath }) => mountPath)).toContain(cache)
  }
})

test.each([
  ["ingress", "Ingress"],
  ["gateway-api", "HTTPRoute"],
])("with %s, only triggers at the overlay's host reach the gateway", async (component, kind) => {
  const settings = { installation: { HOST: "hooks.acme.example", GATEWAY_CLASS: "envoy" } }
  const resources = await renderOverlay("production", { components: [component, "cert-manager"], settings })
  const text = JSON.stringify(resources)
  expect(text).not.toContain("hooks.example")
  const route = JSON.stringify(find(resources, kind, "trigger-gateway"))
  expect(route).toContain("hooks.acme.example")
  expect(route).toContain('"/connectors/hook')
})

test.each(["gateway-api", "ingress"])(
  "with console-%s, the console is reached at its own host, and knows it",
  async (name) => {
    const installation = { CONSOLE_HOST: "admin.acme.example", PROXY_CIDR: "10.42.0.0/16" }
    const components = ["console", "default-deny", name, `console-${name}`]
    const resources = await renderOverlay("production", { components, settings: { installation } })
    expect(JSON.stringify(resources)).not.toContain("console.example")
    const route = find(resources, name === "ingress" ? "Ingress" : "HTTPRoute", "console")
    expect(JSON.stringify(route)).toContain("admin.acme.example")
    const environment = processesOf(resources).find((one) => one.name === "console")?.environment
    expect(environment?.get("CONSOLE_ORIGIN")).toEqual({ value: "https://admin.acme.example" })
    expect(environment?.get("TRUSTED_PROXIES")).toEqual({ value: "10.42.0.0/16" })
  },
)

test("Envoy's access log has no field that contains the path", async () => {
  const settings = { installation: { GATEWAY_CLASS: "envoy" } }
  const resources = await renderOverlay("production", { components: ["gateway-api"], settings })
  const settingsOf = z.object({
    telemetry: z.strictObject({
      accessLog: z.object({
        settings: z.tuple([z.object({ format: z.object({ json: z.record(z.string(), z.string()) }) })]),
      }),
    }),
  })
  const { accessLog } = settingsOf.parse(find(resources, "EnvoyProxy", "trigger-gateway")?.spec).telemetry
  const operators = Object.values(accessLog.settings[0].format.json)
  for (const operator of operators) expect(operator).toMatch(/^%[A-Z_]+%$|^%REQ\(:(METHOD|AUTHORITY)\)%$/)
  expect(operators).not.toContain("%REQUEST_ORIGINAL_PATH%")
  expect(find(resources, "Gateway", "trigger-gateway")?.spec).toMatchObject({
    infrastructure: { parametersRef: { kind: "EnvoyProxy", name: "trigger-gateway" } },
  })
})
