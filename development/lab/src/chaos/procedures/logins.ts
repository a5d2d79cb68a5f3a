import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { topicAccess } from "@sitewire/contracts"
import { openPool, type ProcessWithRole, roleOf } from "@sitewire/database"
import { checkBroker, connectKafka } from "@sitewire/kafka"
import { scramLogin } from "@sitewire/testkit/backing"
import { silentLog } from "@sitewire/testkit/installation"
import { type ChaosLab, shortDelaysMs } from "../run.ts"
import type { Secrets } from "./startSystem.ts"

export const rolePrefix = "sitewire_"
export const kafkaAccount = "sitewire"

const password = "the first password"
const mechanism = "scram-sha-512"
const processes: ProcessWithRole[] = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher", "console"]
const administrator = { mechanism, username: "admin", password } as const
const firstOf = (process: string) =>
  ({ mechanism, username: `${kafkaAccount}-${process}-1`, password }) as const

export const installationWithLogins = {
  kafkaLogin: {
    broker: scramLogin(
      processes.map((process) => firstOf(process).username),
      password,
    ),
    account: administrator,
  },
  env: { DATABASE_ROLE_PREFIX: rolePrefix },
}

/**
 * Creates the first accounts of the services, and client.properties in `folder`. `bin` contains Kafka's tools. Fills
 * `secrets`, from which the services read their logins.
 */
export async function createLogins(
  it: ChaosLab,
  { bin, folder, secrets }: { bin: string; folder: string; secrets: Secrets },
): Promise<{ verify(): Promise<void> }> {
  const brokers = [...it.brokers]
  const scram = `org.apache.kafka.common.security.scram.ScramLoginModule required username="admin" password="${password}";`
  const properties = join(folder, "client.properties")
  await writeFile(
    properties,
    `security.protocol=SASL_PLAINTEXT\nsasl.mechanism=SCRAM-SHA-512\nsasl.jaas.config=${scram}\n`,
  )
  const allow = async (kind: string, names: string[], operations: string[]) => {
    const connection = ["--bootstrap-server", brokers.join(","), "--command-config", properties]
    const users = processes.map((process) => `User:${firstOf(process).username}`)
    const accounts = users.flatMap((user) => ["--allow-principal", user])
    const what = names.flatMap((name) => [kind, name])
    const how = operations.flatMap((name) => ["--operation", name])
    const rule = ["--add", ...accounts, ...how, ...what]
    await promisify(execFile)(join(bin, "kafka-acls.sh"), [...connection, ...rule])
  }
  const access = topicAccess({ prefix: "", retryDelaysMs: shortDelaysMs })
  const topics = [...new Set(access.flatMap(({ read, write, inspect }) => [...read, ...write, ...inspect]))]
  await allow("--topic", topics, ["Read", "Write", "DescribeConfigs"])
  const groups = access.flatMap(({ join }) => join)
  await allow("--group", groups, ["Read"])

  for (const process of processes) {
    const role = roleOf(rolePrefix, process)
    await it.sql(`create role ${role}_1 login password '${password}' in role ${role}`)
    const url = new URL(it.databaseUrl)
    url.username = `${role}_1`
    url.password = password
    secrets[`${process}-database`] = { url: url.href }
    secrets[`${process}-kafka`] = { KAFKA_USERNAME: firstOf(process).username, KAFKA_PASSWORD: password }
  }
  const old = structuredClone(secrets)

  return {
    /** The next logins are in use, and the first ones are rejected. */
    async verify() {
      const used = await it.sql<{ usename: string }>(
        "select distinct usename from pg_stat_activity where usename like $1 order by usename",
        [`${rolePrefix}%`],
      )
      const expected = processes.map((process) => `${roleOf(rolePrefix, process)}_2`).sort()
      const names = used.map(({ usename }) => usename)
      if (names.join() !== expected.join()) throw new Error(`accounts with sessions: ${names.join(", ")}`)
      for (const process of processes) {
        const pool = openPool({ url: old[`${process}-database`]?.url ?? "", size: 1, name: "old-login" })
        const answer = await pool.sql("select 1").then(
          () => "accepted",
          (error: { code?: string }) => error.code,
        )
        await pool.close()
        if (answer !== "28P01") throw new Error(`the old login of ${process}: ${answer}`)
        const login = firstOf(process)
        const kafka = connectKafka({ brokers, login, clientId: "old-login", log: silentLog })
        const state = await checkBroker({ kafka })
        if (state.status === "reachable" || !/authentication/i.test(state.why))
          throw new Error(`the old login of ${process} at Kafka: ${JSON.stringify(state)}`)
      }
    },
  }
}
