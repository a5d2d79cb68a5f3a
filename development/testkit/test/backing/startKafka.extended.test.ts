import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
// biome-ignore lint/style/noRestrictedImports: packages/kafka is tested with this package and cannot test it.
import kafkajs from "kafkajs"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startedHere, startKafka } from "../../src/backing/index.ts"
import { kafkaVersion } from "../../src/backing/kafkaSettings.ts"
import { processStartTime } from "../../src/backing/local/processes.ts"

let root: string
const lines: string[] = []
const env = { ...process.env, KAFKA_BROKERS: undefined, BACKING_SERVICES: "local" }
const jars = fileURLToPath(new URL("../../../../.sitewire/jars", import.meta.url))
const progress = (line: string) => void lines.push(line)

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "backing-kafka-"))
})
afterAll(() => rm(root, { recursive: true, force: true }))

async function start(
  name: string,
  options: { jars?: string; port?: number; durability?: "persistent" | "scratch" } = {},
) {
  const backing = await startKafka({
    directory: join(root, name),
    jars,
    env,
    durability: "persistent",
    progress,
    ...options,
  })
  return startedHere(backing)
}

async function topics(address: string, create?: string) {
  const admin = new kafkajs.Kafka({
    brokers: [address],
    logLevel: kafkajs.logLevel.NOTHING,
    retry: { retries: 5, initialRetryTime: 50 },
  }).admin()
  await admin.connect()
  try {
    if (create) await admin.createTopics({ topics: [{ topic: create }], waitForLeaders: true })
    return await admin.listTopics()
  } finally {
    await admin.disconnect()
  }
}

test("given brokers are used as they are, and nothing is started", async () => {
  const address = "a.example:9092,b.example:9092"
  const options = { directory: join(root, "given"), env: { KAFKA_BROKERS: address }, progress }
  const backing = await startKafka({ ...options, durability: "persistent" })
  await backing.stop()
  expect(backing).toMatchObject({ kind: "given", address })
})

test("the version of the settings and that of the jars are the same", async () => {
  const pom = await readFile(new URL("../../kafka/pom.xml", import.meta.url), "utf8")
  expect(pom).toContain(`<kafka.version>${kafkaVersion}</kafka.version>`)
})

// The first run on a machine downloads Kafka.
test("topics survive a restart on the same port, and stop leaves no process", async () => {
  const first = await start("kept")
  const pid = first.pid ?? 0
  expect(processStartTime(pid)).toBeDefined()
  expect(await topics(first.address, "orders")).toEqual(["orders"])
  await first.stop()
  expect(processStartTime(pid)).toBeUndefined()

  const second = await start("kept", { port: Number(first.address.split(":")[1]) })
  expect(second.address).toBe(first.address)
  expect(await topics(second.address)).toEqual(["orders"])

  await second.halt("kill")
  await expect(topics(second.address)).rejects.toThrow("ECONNREFUSED")
  await second.resume()
  expect(await topics(second.address)).toEqual(["orders"])
  await second.stop()
})

test("the first broker archives Kafka's classes, and later ones use the archive", async () => {
  const ownJars = join(root, "jars")
  const home = join(ownJars, `kafka-${kafkaVersion}`)
  await cp(join(jars, `kafka-${kafkaVersion}`, "libs"), join(home, "libs"), { recursive: true })
  const first = await start("archived", { jars: ownJars })
  const archives = (await readdir(home)).filter((name) => name !== "libs")
  expect(archives).toEqual([expect.stringMatching(/^classes-[0-9a-f]{12}\.jsa$/)])
  await first.stop()
  const second = await start("archived", { jars: ownJars })
  const commandLine = await readFile(`/proc/${second.pid}/cmdline`, "utf8")
  expect(commandLine).toContain(`-XX:SharedArchiveFile=${home}/${archives[0]}`)
  expect(await readFile(join(root, "archived", "kafka", "kafka.log"), "utf8")).not.toContain("[cds]")
  await second.stop()
})

test("a broker that a killed run left behind is stopped by the next one", async () => {
  const left = await start("left")
  const pid = left.pid ?? 0
  await topics(left.address, "orders")
  const file = join(root, "left", "kafka", "claim.json")
  const claim = JSON.parse(await readFile(file, "utf8"))
  await writeFile(file, JSON.stringify({ ...claim, ownerStartTime: "of a process that has ended" }))
  const next = await start("left")
  expect(processStartTime(pid)).toBeUndefined()
  expect(lines).toContain(`stopping kafka of a run that was killed (process ${pid})`)
  expect(await topics(next.address)).toEqual(["orders"])
  await next.stop()
})

test("without Java the error says what to install and what to set", async () => {
  const options = { directory: join(root, "javaless"), jars, durability: "scratch", progress } as const
  const starting = startKafka({ ...options, env: { ...env, JAVA_HOME: join(root, "nowhere") } })
  await expect(starting).rejects.toThrow(/does not run \(ENOENT\).*JAVA_HOME.*KAFKA_BROKERS/)
})

test("without Maven the error says what to install and what to set", async () => {
  // A PATH that has java and nothing else.
  const bin = join(root, "bin")
  await mkdir(bin)
  await writeFile(join(bin, "java"), "#!/bin/sh\necho 'openjdk version \"21.0.1\"' >&2\n", { mode: 0o755 })
  const options = { directory: join(root, "mavenless"), durability: "scratch", progress } as const
  const starting = startKafka({ ...options, env: { ...env, JAVA_HOME: undefined, PATH: bin } })
  await expect(starting).rejects.toThrow(/Install Maven.*KAFKA_BROKERS/)
  expect(await readdir(join(root, "mavenless", "jars"))).toEqual([])
})
