import { mkdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { findJava, kafkaJars, kafkaToolsJar } from "@sitewire/testkit/backing"
import { root } from "../../shared/copyCheckout.ts"
import { serve } from "../../shared/serve.ts"
import { stateFolder } from "../../shared/startLab.ts"

const cli = join(root, "packages/cli/src/main.ts")

const kafkaTools = {
  "kafka-topics.sh": "org.apache.kafka.tools.TopicCommand",
  "kafka-consumer-groups.sh": "org.apache.kafka.tools.consumer.group.ConsumerGroupCommand",
  "kafka-features.sh": "org.apache.kafka.tools.FeatureCommand",
  "kafka-configs.sh": "kafka.admin.ConfigCommand",
  "kafka-acls.sh": "org.apache.kafka.tools.AclCommand",
}

/** What `kubectl` and `ssh` do: they stop, start and change the processes of this machine. */
export type Platform = {
  /** `input` is empty unless an argument is `/dev/stdin`. */
  kubectl(args: readonly string[], input: string): Promise<string>
  ssh(host: string, command: string): Promise<string>
}

/**
 * Writes the commands that the pages use to `folder`: Kafka's own tools, `sitewire`, and stand-ins for `kubectl` and `ssh`.
 * psql, pg_dump and pg_restore are those of the PATH.
 */
export async function writeStandIns(folder: string, platform: Platform): Promise<{ stop(): void }> {
  const jars = join(stateFolder, "jars")
  await mkdir(folder, { recursive: true })
  const { java } = await findJava(process.env)
  const libs = await kafkaJars({ jars, env: process.env, progress: () => {} })
  const tools = await kafkaToolsJar({ jars, env: process.env })
  const vm = "-Xmx128m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
  const write = (name: string, line: string) =>
    writeFile(join(folder, name), `#!/bin/sh\nexec ${line} "$@"\n`, { mode: 0o755 })
  for (const [name, main] of Object.entries(kafkaTools))
    await write(name, `"${java}" ${vm} -cp "${libs}/*:${tools}" ${main}`)
  await write("sitewire", `"${process.execPath}" "${cli}"`)

  const { origin, close } = await serve(async (request, response) => {
    type Call = { name: string; args: string[]; input: string }
    const { name, args, input } = JSON.parse(await text(request)) as Call
    try {
      const [host = "", command = ""] = args
      const printed = await (name === "ssh" ? platform.ssh(host, command) : platform.kubectl(args, input))
      response.end(printed)
    } catch (error) {
      response.writeHead(500).end(`${error instanceof Error ? error.message : error}\n`)
    }
  })
  for (const name of ["kubectl", "ssh"]) {
    const call = `import { readFileSync } from "node:fs"
const args = process.argv.slice(2)
const input = args.includes("/dev/stdin") ? readFileSync(0, "utf8") : ""
const body = JSON.stringify({ name: "${name}", args, input })
const response = await fetch("${origin}", { method: "POST", body })
const stream = response.ok ? process.stdout : process.stderr
stream.write(await response.text())
process.exitCode = response.ok ? 0 : 1`
    await writeFile(join(folder, `${name}.mjs`), call)
    await write(name, `"${process.execPath}" "${join(folder, `${name}.mjs`)}"`)
  }
  return { stop: close }
}
