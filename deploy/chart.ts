import { mkdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { stringify } from "yaml"
import { z } from "zod"
import { parseRendered, type Rendered, renderOverlayText } from "./render.ts"
import { declared } from "./variables.ts"

/** Those that only add resources; and `autoscaling`, which also removes the numbers of replicas. */
export const chartComponents = [
  "console",
  "default-deny",
  "monitoring",
  "dashboards",
  "ingress",
  "gateway-api",
  "cert-manager",
  "autoscaling",
  "external-secrets",
]

/** Those that change a resource of another component, and the address that each needs. The chart has both resources. */
const changingComponents = { "kafka-external": "KAFKA_CIDR", "postgres-external": "POSTGRES_CIDR" }

/** The literals of `installation`, with defaults except for what nobody can guess. */
const installation: Record<string, string | undefined> = {
  HOST: undefined,
  PROXY_NAMESPACE: "envoy-gateway-system",
  MONITORING_NAMESPACE: "monitoring",
  RUNBOOK: "https://docs.example/sitewire/docs/operators/runbook.md",
  KAFKA_NAMESPACE: "kafka",
  POSTGRES_NAMESPACE: "postgres",
  INGRESS_CLASS: "nginx",
  GATEWAY_CLASS: "envoy",
  CLUSTER_ISSUER: "letsencrypt",
  SECRET_STORE: "vault",
  KAFKA_CIDR: undefined,
  KAFKA_PORT: "9092",
  POSTGRES_CIDR: undefined,
  POSTGRES_PORT: "5432",
}
const services = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher"]
const strings = z.record(z.string(), z.string())
const registry = "images.example/sitewire"

/** Where kustomize requires a number, a port that nothing else has. */
const numbers = new Map([
  ["KAFKA_PORT", "61001"],
  ["POSTGRES_PORT", "61002"],
])
const placeholder = (name: string) => numbers.get(name) ?? `VALUE_OF_${name}`
const idOf = ({ kind, metadata }: Rendered) => `${kind}/${metadata.name.replace(/-[a-z0-9]{10}$/, "")}`
const hashOf = (value: string) => `{{ include "sitewire.hash" ${value} }}`
const settingsOf = (name: string) => `(index $.Values.settings "${name}")`

function render(components: readonly string[]): Promise<string> {
  const values = Object.keys(installation).map((name) => [name, placeholder(name)])
  const settings = {
    installation: Object.fromEntries(values) as Record<string, string>,
    "sitewire-common": { KAFKA_BROKERS: placeholder("KAFKA_BROKERS") },
  }
  return renderOverlayText("production", { components, settings })
}

async function renderById(components: readonly string[]): Promise<Map<string, [Rendered, string]>> {
  const texts = (await render(components)).split(/^---\n/m)
  const resources = texts.map((text): [Rendered | undefined, string] => [parseRendered(text)[0], text])
  return new Map(
    resources.flatMap(([resource, text]) => (resource ? [[idOf(resource), [resource, text]]] : [])),
  )
}

/** The files of a Helm chart that renders to what kustomize makes, by path. */
async function describeChart(version: string): Promise<Map<string, string>> {
  const base = new Set(parseRendered(await render([])).map(idOf))
  const owners = new Map<string, string>()
  for (const component of chartComponents)
    for (const id of parseRendered(await render([component])).map(idOf))
      if (!base.has(id)) owners.set(id, component)

  const all = await renderById(chartComponents)
  const others = new Map<string, string>()
  for (const component of Object.keys(changingComponents))
    for (const [id, [resource, text]] of await renderById([...chartComponents, component]))
      if (text !== all.get(id)?.[1]) {
        const other = template(resource, text, undefined)
        others.set(id, `{{- if has "${component}" .Values.components }}\n${other}{{- else }}\n`)
      }

  const settings: Record<string, Record<string, string>> = {}
  const readers = new Map<string, string[]>()
  const templates = new Map<string, string[]>()
  for (const [id, [resource, text]] of all) {
    const owner = owners.get(id) ?? "base"
    const shared = /^sitewire-([a-z]+)-/.exec(resource.metadata.name)?.[1]
    if (resource.kind === "ConfigMap" && shared) settings[shared] = strings.parse(resource.data)
    const documents = templates.get(owner) ?? []
    const own = template(resource, text, shared)
    const other = others.get(id)
    templates.set(owner, [...documents, other === undefined ? own : `${other}${own}{{- end }}\n`])
    if (resource.kind === "Job" || resource.kind === "Deployment") {
      const process = pod.parse(resource.spec).template.spec.containers[0].name
      for (const map of settingsRead(resource)) readers.set(map, [...(readers.get(map) ?? []), process])
    }
    if (resource.kind === "Job") {
      const test = testOf(resource)
      templates.set("setup-test", [template(test, stringify(test), undefined)])
    }
  }
  delete settings.common?.KAFKA_BROKERS
  for (const name of [...services, "console"]) settings[name] = {}

  const files = [...templates].map(([owner, documents]): [string, string] => {
    const all = documents.map((document) => `---\n${document}`).join("")
    const conditional = `{{- if has "${owner}" .Values.components }}\n${all}{{- end }}\n`
    return [`templates/${owner}.yaml`, chartComponents.includes(owner) ? conditional : all]
  })
  const chart = {
    apiVersion: "v2",
    name: "sitewire",
    version,
    appVersion: version,
    description: "Webhooks between a hosting company and its partners",
    kubeVersion: ">=1.30.0-0",
  }
  const values = {
    tag: version,
    components: ["console", "default-deny", "gateway-api"],
    installation: Object.fromEntries(Object.entries(installation).filter(([, value]) => value !== undefined)),
    replicas: Object.fromEntries(services.map((name) => [name, 2])),
    settings,
  }
  return new Map([
    ...files,
    ["Chart.yaml", stringify(chart)],
    ["values.yaml", stringify(values)],
    ["values.schema.json", `${JSON.stringify(schema(settings, readers), null, 2)}\n`],
    ["templates/_hash.tpl", '{{- define "sitewire.hash" }}{{ toJson . | sha256sum | trunc 10 }}{{ end }}\n'],
    ["templates/settings.yaml", ownSettings],
    ["templates/NOTES.txt", notes],
  ])
}

const container = z.looseObject({
  name: z.string(),
  env: z.array(z.unknown()),
  envFrom: z.array(z.object({ configMapRef: z.object({ name: z.string() }).optional() })),
})
const pod = z.object({
  template: z.object({
    metadata: z.object({ labels: strings }),
    spec: z.looseObject({ containers: z.tuple([container]) }),
  }),
})

/** Which of the values' `settings` a workload reads. */
function settingsRead({ spec }: Rendered): string[] {
  const [{ envFrom }] = pod.parse(spec).template.spec.containers
  return envFrom
    .flatMap(({ configMapRef }) => configMapRef?.name ?? [])
    .filter((name) => !name.includes("-defaults-"))
    .map((name) => name.replace(/^sitewire-([a-z]+)-.*/, "$1"))
}

/**
 * For `helm test`: the setup once more, with the logins, certificates and network policies of the job. It changes nothing, and fails
 * if Kafka or Postgres cannot be reached or a topic is missing.
 */
function testOf({ spec }: Rendered): Rendered {
  const { metadata, spec: setup } = pod.parse(spec).template
  const [container] = setup.containers
  const env = [...container.env, { name: "MANAGE_TOPICS", value: "false" }]
  const annotations = { "helm.sh/hook": "test" }
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "setup-test", namespace: "sitewire", annotations, ...metadata },
    spec: { ...setup, containers: [{ ...container, env }] },
  }
}

const priorityClass = "{{- with $.Values.priorityClassName }}\n      priorityClassName: {{ . }}\n{{- end }}\n"

/** The text of a resource with the chart's values in the place of the overlay's. */
function template(resource: Rendered, text: string, shared: string | undefined): string {
  let changed = text
  if (resource.kind === "ConfigMap" && shared) {
    const { apiVersion, kind, metadata } = resource
    const data = `{{ toYaml ${settingsOf(shared)} | indent 2 }}\n`
    changed = `${stringify({ apiVersion, kind, metadata })}data:\n${data}`
  } else {
    // What Prometheus replaces is not Helm's.
    changed = changed.replaceAll("{{", '{{ "{{" }}')
  }
  const { name } = resource.metadata
  if (resource.kind === "Deployment" && services.includes(name)) {
    const count = `  replicas: {{ index .Values.replicas "${name}" }}\n`
    const spec = `\nspec:\n{{- if not (has "autoscaling" .Values.components) }}\n${count}{{- end }}\n`
    changed = changed.replace(/^ {2}replicas: \d+\n/m, "").replace("\nspec:\n", spec)
  }
  if (resource.kind === "Deployment") {
    // ConfigMaps keep their names, because Helm deletes one that is no longer in the release at once, while pods of the version before still
    // need it. So this starts new pods if what they read has changed.
    const read = settingsRead(resource).map(settingsOf).join(" ")
    const hash = hashOf(`(list $.Chart.Version $.Values.installation.HOST ${read})`)
    const annotations = `      annotations:\n        sitewire/settings: "${hash}"\n`
    changed = changed
      .replace("  template:\n    metadata:\n", (metadata) => metadata + annotations)
      .replace(/^ {6}serviceAccountName:/m, (account) => priorityClass + account)
  }
  if (resource.kind === "ScaledObject")
    changed = changed
      .replaceAll(/(?<=(?:consumerGroup|topic): )\S+/g, '"{{ $.Values.settings.common.TOPIC_PREFIX }}$&"')
      .replaceAll('namespace="sitewire"', 'namespace="{{ $.Release.Namespace }}"')
  return changed
    .replaceAll(placeholder("KAFKA_BROKERS"), "{{ $.Values.settings.common.KAFKA_BROKERS }}")
    .replaceAll(/VALUE_OF_([A-Z_]+)/g, "{{ $.Values.installation.$1 }}")
    .replaceAll(/(?<=port: )6100[12]$/gm, (number) => {
      const [name] = [...numbers].find(([, value]) => value === number) ?? []
      return `{{ $.Values.installation.${name} }}`
    })
    .replaceAll(
      new RegExp(`${registry}/([a-z-]+):\\S+`, "g"),
      "{{ $.Values.registry }}/$1:{{ $.Values.tag }}",
    )
    .replaceAll(/^ {2}namespace: sitewire$/gm, "  namespace: {{ $.Release.Namespace }}")
    .replaceAll(/\b(sitewire-[a-z]+|[a-z-]+-defaults)-[a-z0-9]{10}\b/g, "$1")
    .replaceAll(/\bname: setup-[a-z0-9]{10}\b/g, `name: setup-${hashOf("(list $.Values $.Chart.Version)")}`)
}

/** A ConfigMap of each process that has settings of its own. */
const ownSettings = `{{- range $name := list ${[...services, "console"].map((name) => `"${name}"`).join(" ")} }}
{{- with index $.Values.settings $name }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ $name }}
  namespace: {{ $.Release.Namespace }}
  labels:
    app.kubernetes.io/part-of: sitewire
data:
{{ toYaml . | indent 2 }}
{{- end }}
{{- end }}
`

/** What Helm prints after an installation and an upgrade. */
const notes = `Sitewire {{ .Chart.AppVersion }} starts. Services wait until the setup job has completed:

  kubectl -n {{ .Release.Namespace }} rollout status deployment/trigger-gateway deployment/sync-scheduler deployment/webhook-dispatcher
  helm test {{ .Release.Name }} -n {{ .Release.Namespace }}   # reaches Kafka and Postgres, and finds every topic

Before an upgrade, read the changelog, and skip no version. helm rollback installs the images of the version before; migrations
stay, and suit it.
`

/** Rejects names that nothing reads, and what is missing. */
function schema(settings: Record<string, Record<string, string>>, readers: Map<string, string[]>) {
  const object = (properties: object, required: string[] = []) => ({
    type: "object",
    additionalProperties: false,
    properties,
    required,
  })
  const variables = (process: string) =>
    Object.entries(declared.get(process) ?? {}).flatMap(([name, variable]) => {
      const { description, secret } = variable.meta() ?? {}
      return secret ? [] : [[name, { type: "string", description }]]
    })
  const maps = Object.keys(settings).map((name) => {
    const read = Object.fromEntries((readers.get(name) ?? []).flatMap(variables))
    return [name, object(read, name === "common" ? ["KAFKA_BROKERS"] : [])]
  })
  const text = { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._:/-]*$" }
  const port = { type: ["string", "integer"], pattern: "^[0-9]{1,5}$" }
  const addresses = Object.values(changingComponents)
  const count = { type: "integer", minimum: 1 }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...object(
      {
        global: { type: "object" },
        registry: text,
        tag: text,
        priorityClassName: text,
        components: {
          type: "array",
          uniqueItems: true,
          items: { enum: [...chartComponents, ...Object.keys(changingComponents)] },
        },
        installation: object(
          Object.fromEntries(
            Object.keys(installation).map((name) => [name, name.endsWith("_PORT") ? port : text]),
          ),
          Object.keys(installation).filter((name) => !addresses.includes(name)),
        ),
        replicas: object(Object.fromEntries(services.map((name) => [name, count])), services),
        settings: object(Object.fromEntries(maps), Object.keys(settings)),
      },
      ["registry", "tag", "components", "installation", "replicas", "settings"],
    ),
    allOf: Object.entries(changingComponents).map(([component, address]) => ({
      if: { properties: { components: { contains: { const: component } } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema.
      then: { properties: { installation: { required: [address] } } },
    })),
    // One entrance: both would need the same certificate.
    not: {
      properties: {
        components: { allOf: [{ contains: { const: "ingress" } }, { contains: { const: "gateway-api" } }] },
      },
    },
  }
}

export async function writeChart(folder: string): Promise<void> {
  const root = join(import.meta.dirname, "..")
  const { version } = z
    .object({ version: z.string() })
    .parse(JSON.parse(await readFile(join(root, "package.json"), "utf8")))
  await rm(folder, { recursive: true, force: true })
  await mkdir(join(folder, "templates"), { recursive: true })
  for (const [path, text] of await describeChart(version)) await writeFile(join(folder, path), text)
}

if (import.meta.main) {
  const [folder] = parseArgs({ allowPositionals: true }).positionals
  if (!folder) throw new Error("Usage: node deploy/chart.ts <folder>")
  await writeChart(folder)
}
