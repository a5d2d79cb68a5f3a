import { mkdir, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findJava, kafkaJars, kafkaToolsJar } from "@sitewire/testkit/backing"

const cli = fileURLToPath(new URL("../../../../../cli/src/main.ts", import.meta.url))

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
export async function writeStandIns(
  folder: string,
  { jars, platform }: { jars: string; platform: Platform },
): Promise<{ stop(): void }> {
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

  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { name, args, input } = JSON.parse(Buffer.concat(chunks).toString()) as {
      name: string
      args: string[]
      input: string
    }
    try {
      const printed =
        name === "ssh"
          ? await platform.ssh(args[0] ?? "", args[1] ?? "")
          : await platform.kubectl(args, input)
      response.end(printed)
    } catch (error) {
      response.writeHead(500).end(`${error instanceof Error ? error.message : error}\n`)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  for (const name of ["kubectl", "ssh"]) {
    const call = `import { readFileSync } from "node:fs"
const args = process.argv.slice(2)
const input = args.includes("/dev/stdin") ? readFileSync(0, "utf8") : ""
const body = JSON.stringify({ name: "${name}", args, input })
const response = await fetch("http://127.0.0.1:${port}", { method: "POST", body })
const stream = response.ok ? process.stdout : process.stderr
stream.write(await response.text())
process.exitCode = response.ok ? 0 : 1`
    await writeFile(join(folder, `${name}.mjs`), call)
    await write(name, `"${process.execPath}" "${join(folder, `${name}.mjs`)}"`)
  }
  return { stop: () => void server.close() }
}
