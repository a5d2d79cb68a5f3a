import {
  ConfigurationError,
  createLogger,
  databaseAccess,
  kafkaOptions,
  printHelp,
  readConfig,
} from "@sitewire/runtime"
import { setupVariables } from "./config.ts"
import { prepare } from "./prepare.ts"

printHelp("setup", setupVariables)
try {
  const config = readConfig(setupVariables, process.env)
  await prepare({
    database: databaseAccess(config),
    rolePrefix: config.DATABASE_ROLE_PREFIX,
    firstApiKey: config.FIRST_API_KEY,
    kafka: kafkaOptions(config),
    topicPrefix: config.TOPIC_PREFIX,
    manageTopics: config.MANAGE_TOPICS,
    topicSettings: config.TOPIC_SETTINGS,
    replication: config.TOPIC_REPLICATION,
    retryDelaysMs: config.RETRY_DELAYS,
    retryPeriodMs: config.RETRY_PERIOD,
    deadlineMs: config.STARTUP_DEADLINE,
    log: createLogger({ service: "setup", level: config.LOG_LEVEL }),
  })
} catch (error) {
  process.exitCode = 1
  if (error instanceof ConfigurationError) process.stderr.write(`${error.message}\n`)
  else createLogger({ service: "setup", level: "info" }).fatal({ error }, "the setup failed")
}
