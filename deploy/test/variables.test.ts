import { expect, test } from "vitest"
import { kafkaAuthVariables } from "../../packages/runtime/src/index.ts"
import { declared, read, schemaOf, variablesOf } from "./fixtures/processes.ts"
import { readManifests } from "./fixtures/readManifests.ts"

const { processes } = await readManifests()

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
