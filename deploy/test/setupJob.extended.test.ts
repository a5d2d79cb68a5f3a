import { findUv, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { z } from "zod"
import { combinations } from "../combinations.ts"
import { type Changes, type Rendered, renderOverlay } from "../render.ts"

// kubectl and the analyser of policies are installed with pip.
needs(findUv)

const job = z.object({
  kind: z.literal("Job"),
  metadata: z.object({ name: z.string(), annotations: z.record(z.string(), z.string()).default({}) }),
  spec: z.looseObject({
    template: z.looseObject({}),
    ttlSecondsAfterFinished: z.number().optional(),
    activeDeadlineSeconds: z.number().optional(),
  }),
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

const jobPatch = JSON.stringify([
  { op: "add", path: "/spec/template/metadata/annotations", value: { owner: "us" } },
])

const changed: [string, Changes][] = [
  ["a literal in sitewire-common", { settings: { "sitewire-common": { RETENTION: "7d" } } }],
  ["other brokers", { settings: { "sitewire-common": { KAFKA_BROKERS: "kafka.example:9092" } } }],
  ["a literal in sitewire-retries", { settings: { "sitewire-retries": { ANYTHING: "1" } } }],
  ["another retry period", { settings: { "sitewire-retries": { RETRY_PERIOD: "12h" } } }],
  ["a literal in sitewire-setup", { settings: { "sitewire-setup": { ANYTHING: "1" } } }],
  ["another number of replicas of topics", { settings: { "sitewire-setup": { TOPIC_REPLICATION: "2" } } }],
  ["another version", { tag: "0.2.0" }],
  ["a patch of the job", { more: { patches: [{ target: { kind: "Job" }, patch: jobPatch }] } }],
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

test("no deadline ends a job that creates an index of a large table", async () => {
  for (const { overlay, ...changes } of Object.values(combinations))
    expect(jobOf(await renderOverlay(overlay, changes)).spec.activeDeadlineSeconds).toBeUndefined()
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
