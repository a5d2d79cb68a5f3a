import { findPython, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { z } from "zod"
import { combinations } from "../combinations.ts"
import { type Changes, type Rendered, renderOverlay } from "../render.ts"
import { variablesOf } from "./fixtures/processes.ts"

// kubectl and the analyser of policies are installed with pip.
needs(findPython)

const job = z.object({
  kind: z.literal("Job"),
  metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z.looseObject({ template: z.looseObject({}), ttlSecondsAfterFinished: z.number().optional() }),
})

const deployment = z.object({ spec: z.object({ selector: z.unknown() }) })

const jobOf = (resources: Rendered[]) => job.parse(resources.find(({ kind }) => kind === "Job"))
const renderJob = async (changes: Changes) => jobOf(await renderOverlay("production", changes))

/**
 * What the API server rejects changes of, by resource: a Job's pod template, a Deployment's selector, and the
 * content of a ConfigMap, which is mutable but must not change under a pod that has read it.
 */
function immutableFields(resources: Rendered[]): Map<string, string> {
  const fields = resources.flatMap((resource): [string, unknown][] => {
    const id = `${resource.kind}/${resource.metadata.name}`
    if (resource.kind === "Job") return [[id, job.parse(resource).spec.template]]
    if (resource.kind === "Deployment") return [[id, deployment.parse(resource).spec.selector]]
    if (resource.kind === "ConfigMap") return [[id, resource.data]]
    return []
  })
  return new Map(fields.map(([id, value]) => [id, JSON.stringify(value)]))
}

const changed: [string, Changes][] = [
  ["another LOG_LEVEL", { settings: { "sitewire-common": { LOG_LEVEL: "debug" } } }],
  ["other brokers", { settings: { "sitewire-common": { KAFKA_BROKERS: "kafka.example:9092" } } }],
  ["a prefix", { settings: { "sitewire-common": { TOPIC_PREFIX: "eu." } } }],
  ["other retry delays", { settings: { "sitewire-retries": { RETRY_DELAYS: "1m,1h" } } }],
  ["another retry period", { settings: { "sitewire-retries": { RETRY_PERIOD: "12h" } } }],
  ["another number of replicas of topics", { settings: { setup: { TOPIC_REPLICATION: "2" } } }],
  ["roles at Postgres", { settings: { setup: { DATABASE_ROLE_PREFIX: "sitewire_" } } }],
  ["another version", { tag: "0.2.0" }],
]

test.each(changed)("%s can be applied over the first apply, and runs the setup again", async (_, changes) => {
  const [first, second] = await Promise.all([
    renderOverlay("production"),
    renderOverlay("production", changes),
  ])
  expect(jobOf(second).metadata.name).not.toBe(jobOf(first).metadata.name)
  const before = immutableFields(first)
  for (const [id, fields] of immutableFields(second))
    expect([id, before.get(id) ?? fields]).toEqual([id, fields])
})

test("the same overlay makes the same resources, and what the setup does not read does not run it again", async () => {
  const first = await renderJob({})
  expect(await renderJob({})).toEqual(first)
  const other = { settings: { "sitewire-partners": { SERVICE_NAME: "Acme" } } }
  expect(await renderJob(other)).toEqual(first)
})

test("components that change the job change its name", async () => {
  const templates = new Map<string, string>()
  for (const { overlay, ...changes } of Object.values(combinations)) {
    const { metadata, spec } = jobOf(await renderOverlay(overlay, changes))
    const template = JSON.stringify(spec.template)
    expect([metadata.name, templates.get(metadata.name) ?? template]).toEqual([metadata.name, template])
    templates.set(metadata.name, template)
  }
  expect(templates.size).toBeGreaterThan(4)
})

test("the name depends on every setting that an overlay can give the job", async () => {
  const resources = await renderOverlay("production")
  const settings = resources.find(
    ({ kind, metadata }) => kind === "ConfigMap" && metadata.name.startsWith("setup-"),
  )
  const { "named-after": namedAfter = "", ...own } = z.record(z.string(), z.string()).parse(settings?.data)
  const given = resources
    .filter(({ kind, metadata }) => kind === "ConfigMap" && /^sitewire-(common|retries)-/.test(metadata.name))
    .flatMap(({ data }) => Object.entries(z.record(z.string(), z.string()).parse(data)))
  for (const [name] of given) expect(variablesOf("setup")).toHaveProperty(name)
  const values = new Map(given)
  const order = ["LOG_LEVEL", "KAFKA_BROKERS", "TOPIC_PREFIX", "RETRY_DELAYS", "RETRY_PERIOD"]
  expect([...values.keys()].sort()).toEqual(order.toSorted())
  expect(namedAfter.split("|")).toEqual([
    "images.example/sitewire/setup:0.1.0",
    ...order.map((name) => values.get(name)),
  ])
  expect(own).toEqual({ TOPIC_REPLICATION: "3", DATABASE_ROLE_PREFIX: "" })
})

test("the job is removed a day after its end, but not by those who would make it again", async () => {
  const [plain, argo, flux] = await Promise.all([
    renderJob({}),
    renderJob({ components: ["argocd"] }),
    renderJob({ components: ["flux"] }),
  ])
  expect(plain.spec.ttlSecondsAfterFinished).toBe(86_400)
  // Argo CD does not miss a hook that is gone.
  expect(argo.metadata.annotations).toMatchObject({
    "argocd.argoproj.io/hook": "Sync",
    "argocd.argoproj.io/sync-wave": "-1",
  })
  expect(flux.spec.ttlSecondsAfterFinished).toBeUndefined()
})

test("what the job reads is applied before it, and the services after it", async () => {
  const wave = (resource: Rendered | undefined) =>
    Number(
      z.record(z.string(), z.string()).parse(resource?.metadata.annotations ?? {})[
        "argocd.argoproj.io/sync-wave"
      ] ?? 0,
    )
  const resources = await renderOverlay("production", { components: ["console", "argocd"] })
  const setup = resources.find(({ kind }) => kind === "Job")
  for (const resource of resources) {
    const first = resource.metadata.labels["sitewire/apply"] === "first"
    if (resource !== setup)
      expect([resource.metadata.name, wave(resource) < wave(setup)]).toEqual([resource.metadata.name, first])
  }
})
