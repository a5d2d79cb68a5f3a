import { kafkaAccount, rolePrefix } from "./logins.ts"

export type Procedure = {
  /** The pages whose marked examples are executed, one page after the other. */
  pages: string[]
  brokerCount: number
  /** With several brokers: the version that they have at first. */
  kafkaVersion?: string
  env?: Record<string, string>
  /** Kafka requires a login, and each process has its own account at Postgres. */
  logins?: true
  /** The page says that trigger calls may get 503 meanwhile. */
  mayReject?: true
}

const folder = "docs/operators/procedures"

/** Defines `suspend` and `resume`, which the pages call. */
export const suspensionPage = "deploy/examples/gitops.md"

export const procedures: Record<string, Procedure> = {
  backup: { pages: ["docs/operators/restore.md"], brokerCount: 1, mayReject: true },
  "kafka-upgrade": {
    pages: [`${folder}/kafka-upgrade.md`],
    brokerCount: 3,
    kafkaVersion: "4.0.0",
    env: { NEW: "4.1.0", FEATURES: "4.1" },
    mayReject: true,
  },
  partitions: { pages: [`${folder}/partitions.md`], brokerCount: 1 },
  "consumer-group": { pages: [`${folder}/consumer-group.md`], brokerCount: 1 },
  logins: {
    pages: [`${folder}/logins.md`],
    brokerCount: 1,
    env: { OLD: "1", NEW: "2", DATABASE_ROLE_PREFIX: rolePrefix, KAFKA_ACCOUNT: kafkaAccount },
    logins: true,
  },
  "topic-prefix": { pages: [`${folder}/topic-prefix.md`], brokerCount: 1, env: { NEW_PREFIX: "next." } },
}
