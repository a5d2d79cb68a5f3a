import { readFile } from "node:fs/promises"
import { findUv, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { kafkaAuthVariables } from "../../packages/runtime/src/index.ts"
import { declared } from "../variables.ts"
import { read, schemaOf, variablesOf } from "./fixtures/processes.ts"
import { readManifests } from "./fixtures/readManifests.ts"

// kubectl is installed with pip.
needs(findUv)

/** The variable that names each process's own port. */
const ownPort = new Map([
  ["trigger-gateway", "GATEWAY_PORT"],
  ["console", "CONSOLE_PORT"],
])
const processes = await readManifests()

test("every process has a manifest", () => {
  expect(processes.map(({ name }) => name).sort()).toEqual([...declared.keys()].sort())
})

test.each(processes)("$name's ports are those that it listens on, beyond its own loopback", (process) => {
  const { name, container } = process
  const own = ownPort.get(name)
  const ports = Object.fromEntries(container.ports.map((port) => [port.name, port.containerPort]))
  expect(ports).toEqual({
    ...(own && { http: read(process, own) }),
    ...(name !== "setup" && { ops: read(process, "OPS_PORT") }),
  })
  const hosts = Object.keys(variablesOf(name)).filter((variable) => /^[A-Z]+_HOST$/.test(variable))
  for (const host of hosts) expect([host, read(process, host)]).toEqual([host, "0.0.0.0"])
})

test.each(processes.filter(({ kind }) => kind === "Deployment"))(
  "$name is probed at its ops listener, and its pods are spread",
  ({ container, pod, strategy }) => {
    const { startupProbe, livenessProbe, readinessProbe } = container
    expect(startupProbe?.httpGet).toEqual({ path: "/livez", port: "ops" })
    expect(livenessProbe?.httpGet).toEqual({ path: "/livez", port: "ops" })
    expect(readinessProbe?.httpGet).toEqual({ path: "/readyz", port: "ops" })
    const constraints = pod.topologySpreadConstraints
    const keys = ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    expect(constraints.map(({ topologyKey }) => topologyKey)).toEqual(keys)
    for (const { matchLabelKeys } of constraints) expect(matchLabelKeys).toEqual(["pod-template-hash"])
    // Without its type, each `kubectl apply` would change the strategy.
    expect(strategy).toEqual({ type: "RollingUpdate", rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } })
  },
)

test.each(processes)(
  "$name runs within the restricted profile, without a token for the cluster",
  (process) => {
    const { pod, container } = process
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      runAsUser: 65_532,
      seccompProfile: { type: "RuntimeDefault" },
    })
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    })
    expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false })
    expect(Object.keys(container.resources.requests).sort()).toEqual(["cpu", "memory"])
    // No limit of CPU, which would throttle.
    expect(Object.keys(container.resources.limits)).toEqual(["memory"])
  },
)

test.each(processes)("$name's manifest has no value that a ConfigMap could not replace", ({ container }) => {
  expect(container.env.filter(({ value }) => value !== undefined)).toEqual([])
})

test.each(processes)(
  "$name is given only variables that it declares, with values that it takes",
  (process) => {
    for (const [name, given] of process.environment) {
      const schema = schemaOf(process, name)
      if (!("value" in given)) continue
      const outcome = schema.safeParse(given.value === "" ? undefined : given.value)
      expect(outcome.error?.issues ?? [], `${name} of ${process.name}`).toEqual([])
    }
  },
)

test.each(processes)("$name is given every variable that has no default", ({ name, environment }) => {
  const needed = Object.entries(variablesOf(name)).filter(
    ([, schema]) => !schema.safeParse(undefined).success,
  )
  const given = needed.filter(([variable]) => {
    const source = environment.get(variable)
    return source && ("value" in source ? source.value !== "" : !source.optional)
  })
  expect(given.map(([variable]) => variable)).toEqual(needed.map(([variable]) => variable))
})

test("secrets come from Secrets and nothing else does", () => {
  for (const { name, environment } of processes) {
    for (const [variable, given] of environment) {
      const secret = variablesOf(name)[variable]?.meta()?.secret === true
      expect([name, variable, "secret" in given]).toEqual([name, variable, secret])
    }
  }
})

test("each process has accounts of its own at Postgres and Kafka, and settings of its own if the overlay makes them", () => {
  for (const { name, container, environment } of processes) {
    const secrets = container.envFrom.filter((source) => "secretRef" in source)
    // Its keys are variables.
    expect(secrets).toEqual([{ secretRef: { name: `${name}-kafka`, optional: true } }])
    for (const variable of Object.keys(kafkaAuthVariables)) expect(variablesOf(name)).toHaveProperty(variable)
    expect(environment.get("DATABASE_URL")).toMatchObject({ secret: `${name}-database`, key: "url" })
    if (name !== "setup") expect(container.envFrom).toContainEqual({ configMapRef: { name, optional: true } })
  }
  const [setup] = processes.filter(({ name }) => name === "setup")
  expect(setup && read(setup, "DATABASE_ROLE_PREFIX")).toBe("sitewire_")
})

test("only the dispatcher, the scheduler and the console get the sealing keys", () => {
  const holders = processes.filter(({ environment }) =>
    [...environment.values()].some((given) => "secret" in given && given.secret === "sealing-keys"),
  )
  const names = holders.map(({ name }) => name).sort()
  expect(names).toEqual(["console", "sync-scheduler", "webhook-dispatcher"])
})

test("who creates the retry topics and who uses them read the same settings", () => {
  for (const variable of ["TOPIC_PREFIX", "RETRY_DELAYS", "RETRY_PERIOD"]) {
    const values = processes
      .filter(({ name }) => ["setup", "webhook-dispatcher", "console"].includes(name))
      .map(({ environment }) => environment.get(variable))
    expect(values).toEqual([{ value: "" }, { value: "" }, { value: "" }])
  }
})

test("the page about installing names every image and every Secret", async () => {
  const page = await readFile(new URL("../../docs/operators/install.md", import.meta.url), "utf8")
  for (const { name, container, environment } of processes) {
    expect(page).toContain(`\`sitewire/${name}\``)
    const given = [...environment.values()].flatMap((one) => ("secret" in one ? [one.secret] : []))
    const taken = container.envFrom.flatMap((one) => ("secretRef" in one ? [one.secretRef.name] : []))
    for (const secret of [...given, ...taken]) expect(page).toContain(`\`${secret}\``)
  }
})
