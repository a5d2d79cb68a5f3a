import { expect, test } from "vitest"
import { read, variablesOf } from "./fixtures/processes.ts"
import { readManifests } from "./fixtures/readManifests.ts"

/** The variable that names each process's own port. */
const ownPort = new Map([
  ["trigger-gateway", "GATEWAY_PORT"],
  ["console", "CONSOLE_PORT"],
])
const { budgets, processes, services } = await readManifests()

test.each(processes)("$name's ports are those that it listens on, beyond its own loopback", (process) => {
  const { name, container } = process
  const own = ownPort.get(name)
  const ports = Object.fromEntries(container.ports.map((port) => [port.name, port.containerPort]))
  const job = name === "setup"
  expect(ports).toEqual({
    ...(own && { http: read(process, own) }),
    ...(!job && { ops: read(process, "OPS_PORT") }),
  })
  const hosts = Object.keys(variablesOf(name)).filter((variable) => /^[A-Z]+_HOST$/.test(variable))
  for (const host of hosts) expect([host, read(process, host)]).toEqual([host, "0.0.0.0"])

  const service = services.get(name)
  expect(service !== undefined).toBe(own !== undefined)
  for (const port of service?.ports ?? []) expect([port.targetPort, port.port]).toEqual(["http", ports.http])
})

test.each(processes.filter(({ name }) => name !== "setup"))(
  "$name is probed at its ops listener, and has time to stop in order",
  (process) => {
    const { startupProbe, livenessProbe, readinessProbe } = process.container
    expect(startupProbe?.httpGet).toEqual({ path: "/livez", port: "ops" })
    expect(livenessProbe?.httpGet).toEqual({ path: "/livez", port: "ops" })
    expect(readinessProbe?.httpGet).toEqual({ path: "/readyz", port: "ops" })
    const graceMs = (process.pod.terminationGracePeriodSeconds ?? 0) * 1_000
    expect(graceMs).toBeGreaterThan(Number(read(process, "SHUTDOWN_DEADLINE")))
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

test("a node can be drained while Kafka or Postgres is unavailable and no pod is ready", () => {
  expect([...budgets.keys()].sort()).toEqual(["sync-scheduler", "trigger-gateway", "webhook-dispatcher"])
  for (const [name, budget] of budgets) {
    expect(budget.selector.matchLabels).toEqual({ "app.kubernetes.io/name": name })
    expect([name, budget.unhealthyPodEvictionPolicy]).toEqual([name, "AlwaysAllow"])
  }
})
