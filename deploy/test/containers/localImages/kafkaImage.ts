import { execFile } from "node:child_process"
import { cp, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { kafkaJars } from "../../../../development/testkit/src/backing/local/kafkaJars.ts"
import { importImage, librariesOf } from "./importImage.ts"

/** Writes the variables KAFKA_… as the broker's settings, as both official images do, and starts the broker. */
const start = `#!/bin/sh
set -eu
settings=/tmp/server.properties
env | sed -n 's/^KAFKA_\\([A-Z0-9_]*\\)=\\(.*\\)$/\\1 \\2/p' | while read -r name value; do
  [ "$name" = HEAP_OPTS ] || echo "$(echo "$name" | tr A-Z_ a-z.)=$value"
done > $settings
run="java \${KAFKA_HEAP_OPTS:--Xmx512m} -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.log.kafka.server.KafkaRaftServer=info -cp /opt/kafka/libs/*"
set -f
$run kafka.tools.StorageTool format --ignore-formatted -t "$CLUSTER_ID" -c $settings
exec $run kafka.Kafka $settings
`

/** Apache Kafka from Maven with this machine's Java. It can be started as apache/kafka and as confluentinc/cp-kafka. */
export async function importKafkaImage(name: string) {
  const jars = fileURLToPath(new URL("../../../../.sitewire/jars", import.meta.url))
  const libs = await kafkaJars({ jars, env: process.env, progress: () => {} })
  const printed = await promisify(execFile)("java", ["-XshowSettings:properties", "-version"])
  const home = /java\.home = (.*)/.exec(printed.stderr)?.[1] ?? ""
  const runtime = await mkdtemp(join(tmpdir(), "sitewire-java-"))
  const loaded = (await librariesOf(join(home, "lib/server/libjvm.so"))).filter(
    (path) => !path.startsWith(home),
  )
  try {
    for (const part of ["bin/java", "conf", "lib"]) {
      const filter = (path: string) => !/src\.zip$|ct\.sym$/.test(path)
      await cp(join(home, part), join(runtime, part), { recursive: true, dereference: true, filter })
    }
    await importImage({
      name,
      programs: ["sh", "env", "sed", "tr", "sleep", { from: join(home, "bin/java"), to: `${home}/bin/java` }],
      copies: [
        { from: runtime, to: home },
        { from: libs, to: "/opt/kafka/libs" },
        ...loaded.map((library) => ({ from: library, to: library })),
      ],
      files: {
        "/etc/kafka/docker/run": { content: start, mode: 0o755 },
        "/etc/confluent/docker/run": { content: start, mode: 0o755 },
      },
      links: { "/usr/bin/bash": "sh", "/usr/bin/java": `${home}/bin/java` },
      settings: ["ENV PATH=/usr/bin", 'CMD ["/etc/kafka/docker/run"]'],
    })
  } finally {
    await rm(runtime, { recursive: true, force: true })
  }
}
