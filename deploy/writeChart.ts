import { readFileSync } from "node:fs"
import { cp, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { parse, stringify } from "yaml"
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

const strings = z.record(z.string(), z.string())
/** What is written by hand: the values with their defaults, and what kustomize does not make. */
const source = join(import.meta.dirname, "chart")
const values = z
  .object({
    installation: strings,
    replicas: z.record(z.string(), z.number()),
    settings: z.record(z.string(), strings),
  })
  .parse(parse(readFileSync(join(source, "values.yaml"), "utf8")))
const addresses = Object.values(changingComponents)
const installation = ["HOST", ...addresses, ...Object.keys(values.installation)]

/** Where kustomize requires a number, a port that nothing else has. */
const ports: Record<string, string> = { KAFKA_PORT: "61001", POSTGRES_PORT: "61002" }
const placeholder = (name: string) => ports[name] ?? `VALUE_OF_${name}`
const settingsOf = (name: string) => `(index $.Values.settings "${name}")`
const hashOf = (value: string) => `{{ toJson ${value} | sha256sum | trunc 10 }}`

/** The overlay with placeholders: the resources and their text, by kind and name. */
async function render(components: readonly string[]): Promise<Map<string, [Rendered, string]>> {
  const settings = {
    installation: Object.fromEntries(installation.map((name) => [name, placeholder(name)])),
    "sitewire-common": { KAFKA_BROKERS: placeholder("KAFKA_BROKERS") },
  }
  const texts = (await renderOverlayText("production", { components, settings })).split(/^---\n/m)
  return new Map(
    texts.flatMap((text) =>
      parseRendered(text).map((resource): [string, [Rendered, string]] => {
        const name = resource.metadata.name.replace(/-[a-z0-9]{10}$/, "")
        return [`${resource.kind}/${name}`, [resource, text]]
      }),
    ),
  )
}

export async function writeChart(folder: string): Promise<void> {
  const owners = new Map([...(await render([])).keys()].map((id) => [id, "base"]))
  for (const component of chartComponents)
    for (const id of (await render([component])).keys()) if (!owners.has(id)) owners.set(id, component)

  const all = await render(chartComponents)
  const others = new Map<string, string>()
  for (const component of Object.keys(changingComponents))
    for (const [id, [resource, text]] of await render([...chartComponents, component]))
      if (text !== all.get(id)?.[1])
        others.set(
          id,
          `{{- if has "${component}" .Values.components }}\n${template(resource, text)}{{- else }}\n`,
        )

  const readers = new Map<string, string[]>()
  const templates = new Map<string, string>()
  for (const [id, [resource, text]] of all) {
    const owner = owners.get(id) ?? ""
    const other = others.get(id)
    const own = template(resource, text)
    const document = other === undefined ? own : `${other}${own}{{- end }}\n`
    templates.set(owner, `${templates.get(owner) ?? ""}---\n${document}`)
    if (resource.kind !== "Job" && resource.kind !== "Deployment") continue
    const { read, process } = workload(resource)
    for (const map of read) readers.set(map, [...(readers.get(map) ?? []), process])
    if (resource.kind === "Job") {
      const test = testOf(resource)
      templates.set("setup-test", template(test, stringify(test)))
    }
  }

  await rm(folder, { recursive: true, force: true })
  await cp(source, folder, { recursive: true })
  for (const [owner, text] of templates) {
    const conditional = `{{- if has "${owner}" .Values.components }}\n${text}{{- end }}\n`
    await writeFile(
      join(folder, `templates/${owner}.yaml`),
      chartComponents.includes(owner) ? conditional : text,
    )
  }
  await writeFile(join(folder, "values.schema.json"), `${JSON.stringify(schema(readers), null, 2)}\n`)
}

const container = z.looseObject({
  name: z.string(),
  env: z.array(z.unknown()),
  envFrom: z.array(z.looseObject({ configMapRef: z.object({ name: z.string() }).optional() })),
})
const pod = z.object({
  template: z.object({
    metadata: z.object({ labels: strings }),
    spec: z.looseObject({ containers: z.tuple([container]) }),
  }),
})

/** The name of a workload's process, and which of the values' `settings` it reads. */
function workload({ spec }: Rendered): { process: string; read: string[] } {
  const [{ name, envFrom }] = pod.parse(spec).template.spec.containers
  const read = envFrom
    .flatMap(({ configMapRef }) => configMapRef?.name ?? [])
    .filter((map) => !map.includes("-defaults-"))
    .map((map) => map.replace(/^sitewire-([a-z]+)-.*/, "$1"))
  return { process: name, read }
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

/** The text of a resource with the chart's values in the place of the overlay's. */
function template(resource: Rendered, text: string): string {
  // What Prometheus replaces is not Helm's.
  let changed = text.replaceAll("{{", '{{ "{{" }}')
  const { name } = resource.metadata
  const shared = /^sitewire-([a-z]+)-/.exec(name)?.[1]
  if (resource.kind === "ConfigMap" && shared)
    changed = changed.replace(/^data:\n(?: .*\n)+/m, `data:\n{{ toYaml ${settingsOf(shared)} | indent 2 }}\n`)
  if (resource.kind === "Deployment") {
    const count = `  replicas: {{ index .Values.replicas "${name}" }}\n`
    const scaled = `\nspec:\n{{- if not (has "autoscaling" .Values.components) }}\n${count}{{- end }}\n`
    // ConfigMaps keep their names, because Helm deletes one that is no longer in the release at once, while pods of the version before still
    // need it. So this starts new pods if what they read has changed.
    const read = workload(resource).read.map(settingsOf).join(" ")
    const hash = hashOf(`(list $.Chart.Version $.Values.installation.HOST ${read})`)
    const annotations = `      annotations:\n        sitewire/settings: "${hash}"\n`
    const priority = "{{- with $.Values.priorityClassName }}\n      priorityClassName: {{ . }}\n{{- end }}\n"
    if (name in values.replicas)
      changed = changed.replace(/^ {2}replicas: \d+\n/m, "").replace("\nspec:\n", scaled)
    changed = changed
      .replace("  template:\n    metadata:\n", (metadata) => metadata + annotations)
      .replace(/^ {6}serviceAccountName:/m, (account) => priority + account)
  }
  if (resource.kind === "ScaledObject")
    changed = changed
      .replaceAll(/(?<=(?:consumerGroup|topic): )\S+/g, '"{{ $.Values.settings.common.TOPIC_PREFIX }}$&"')
      .replaceAll('namespace="sitewire"', 'namespace="{{ $.Release.Namespace }}"')
  for (const [port, number] of Object.entries(ports))
    changed = changed.replaceAll(`port: ${number}\n`, `port: {{ $.Values.installation.${port} }}\n`)
  return changed
    .replaceAll(placeholder("KAFKA_BROKERS"), "{{ $.Values.settings.common.KAFKA_BROKERS }}")
    .replaceAll(/VALUE_OF_([A-Z_]+)/g, "{{ $.Values.installation.$1 }}")
    .replaceAll(
      /images\.example\/sitewire\/([a-z-]+):\S+/g,
      "{{ $.Values.registry }}/$1:{{ $.Values.tag | default $.Chart.AppVersion }}",
    )
    .replaceAll(/^ {2}namespace: sitewire$/gm, "  namespace: {{ $.Release.Namespace }}")
    .replaceAll(/\b(sitewire-[a-z]+|[a-z-]+-defaults)-[a-z0-9]{10}\b/g, "$1")
    .replaceAll(/\bname: setup-[a-z0-9]{10}\b/g, `name: setup-${hashOf("(list $.Values $.Chart.Version)")}`)
}

/** Rejects names that nothing reads, and what is missing. `readers`: the processes that read each of `settings`. */
function schema(readers: Map<string, string[]>) {
  const object = (properties: object, required: string[] = []) => ({
    type: "object",
    additionalProperties: false,
    properties,
    required,
  })
  const each = (names: string[], schemaOf: (name: string) => object) =>
    Object.fromEntries(names.map((name) => [name, schemaOf(name)]))
  const text = { type: "string", pattern: "^[A-Za-z0-9][A-Za-z0-9._:/-]*$" }
  const port = { type: ["string", "integer"], pattern: "^[0-9]{1,5}$" }
  const settings = Object.keys(values.settings)
  const services = Object.keys(values.replicas)
  const variables = (map: string) => {
    const read = (readers.get(map) ?? []).flatMap((process) => Object.entries(declared.get(process) ?? {}))
    const properties = read.flatMap(([name, variable]) => {
      const { description, secret } = variable.meta() ?? {}
      return secret ? [] : [[name, { type: "string", description }]]
    })
    return object(Object.fromEntries(properties), map === "common" ? ["KAFKA_BROKERS"] : [])
  }
  const components = {
    type: "array",
    uniqueItems: true,
    items: { enum: [...chartComponents, ...Object.keys(changingComponents)] },
  }
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...object(
      {
        global: { type: "object" },
        ...{ registry: text, tag: text, priorityClassName: text, components },
        installation: object(
          each(installation, (name) => (name in ports ? port : text)),
          installation.filter((name) => !addresses.includes(name)),
        ),
        replicas: object(
          each(services, () => ({ type: "integer", minimum: 1 })),
          services,
        ),
        settings: object(each(settings, variables), settings),
      },
      ["registry", "components", "installation", "replicas", "settings"],
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

if (import.meta.main) await writeChart(process.argv[2] ?? "dist/sitewire")
