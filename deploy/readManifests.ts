import { readdir, readFile } from "node:fs/promises"
import { parse, parseAllDocuments } from "yaml"
import { z } from "zod"

const folders = ["base", "components/console"] as const

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) }).optional()

const container = z.object({
  name: z.string(),
  image: z.string(),
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })).default([]),
  envFrom: z
    .array(
      z.union([
        z.strictObject({ configMapRef: z.object({ name: z.string() }) }),
        z.strictObject({ secretRef: z.object({ name: z.string(), optional: z.boolean().optional() }) }),
      ]),
    )
    .default([]),
  env: z.array(
    z.object({
      name: z.string(),
      value: z.string().optional(),
      valueFrom: z
        .object({
          secretKeyRef: z.object({ name: z.string(), key: z.string(), optional: z.boolean().optional() }),
        })
        .optional(),
    }),
  ),
  startupProbe: probe,
  livenessProbe: probe,
  readinessProbe: probe,
  resources: z.object({
    requests: z.record(z.string(), z.string()),
    limits: z.record(z.string(), z.string()),
  }),
  securityContext: z.record(z.string(), z.unknown()),
})

const pod = z.object({
  serviceAccountName: z.string(),
  automountServiceAccountToken: z.boolean(),
  enableServiceLinks: z.boolean(),
  terminationGracePeriodSeconds: z.number().optional(),
  securityContext: z.record(z.string(), z.unknown()),
  containers: z.tuple([container]),
})

const resource = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string() }),
  spec: z.unknown().optional(),
})
const workload = z.object({ template: z.object({ spec: pod }) })
const service = z.object({
  selector: z.record(z.string(), z.string()),
  ports: z.array(z.object({ port: z.number(), targetPort: z.string() })),
})
const budget = z.object({
  unhealthyPodEvictionPolicy: z.string().optional(),
  selector: z.object({ matchLabels: z.record(z.string(), z.string()) }),
})
const kustomization = z.object({
  resources: z.array(z.string()),
  configMapGenerator: z.array(z.object({ name: z.string(), literals: z.array(z.string()) })).default([]),
})

type Given = { value: string } | { secret: string; optional: boolean }

export type Process = {
  name: string
  pod: z.infer<typeof pod>
  container: z.infer<typeof container>
  environment: Map<string, Given>
}

export type Manifests = {
  processes: Process[]
  services: Map<string, z.infer<typeof service>>
  budgets: Map<string, z.infer<typeof budget>>
}

/**
 * Reads the manifests of base and console, without overlays. Throws if a file does not have the expected
 * shape.
 */
export async function readManifests(): Promise<Manifests> {
  const groups = new Map<string, string[]>()
  const found: z.infer<typeof resource>[] = []
  for (const folder of folders) {
    const at = new URL(`${folder}/`, import.meta.url)
    const { resources, configMapGenerator } = kustomization.parse(
      parse(await readFile(new URL("kustomization.yaml", at), "utf8")),
    )
    const files = (await readdir(at)).filter((name) => name !== "kustomization.yaml").sort()
    if (files.join() !== resources.toSorted().join())
      throw new Error(`${folder} does not list all of its files`)
    for (const { name, literals } of configMapGenerator) groups.set(name, literals)
    for (const file of files) {
      const documents = parseAllDocuments(await readFile(new URL(file, at), "utf8"))
      found.push(...documents.map((document) => resource.parse(document.toJS())))
    }
  }

  const processes = found
    .filter(({ kind }) => kind === "Deployment" || kind === "Job")
    .map(({ metadata: { name }, spec }): Process => {
      const pod = workload.parse(spec).template.spec
      const [container] = pod.containers
      return { name, pod, container, environment: readEnvironment(container, groups) }
    })
  const services = found.filter(({ kind }) => kind === "Service")
  const budgets = found.filter(({ kind }) => kind === "PodDisruptionBudget")
  return {
    processes,
    services: new Map(services.map(({ metadata, spec }) => [metadata.name, service.parse(spec)])),
    budgets: new Map(budgets.map(({ metadata, spec }) => [metadata.name, budget.parse(spec)])),
  }
}

function readEnvironment(from: z.infer<typeof container>, groups: Map<string, string[]>): Map<string, Given> {
  const environment = new Map<string, Given>()
  for (const source of from.envFrom) {
    // Only the cluster knows what a Secret contains.
    if (!("configMapRef" in source)) continue
    const { configMapRef } = source
    const literals = groups.get(configMapRef.name)
    if (!literals) throw new Error(`${from.name} reads ${configMapRef.name}, which is not made`)
    for (const literal of literals) {
      const [name = "", ...value] = literal.split("=")
      environment.set(name, { value: value.join("=") })
    }
  }
  for (const { name, value, valueFrom } of from.env) {
    if (environment.has(name)) throw new Error(`${from.name} is given ${name} twice`)
    if (valueFrom) {
      const { name: secret, optional = false } = valueFrom.secretKeyRef
      environment.set(name, { secret, optional })
    } else environment.set(name, { value: value ?? "" })
  }
  return environment
}
