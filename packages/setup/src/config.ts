import {
  countVariable,
  databaseVariables,
  kafkaVariables,
  processVariables,
  retryVariables,
} from "@sitewire/runtime"

export const setupVariables = {
  LOG_LEVEL: processVariables.LOG_LEVEL,
  STARTUP_DEADLINE: processVariables.STARTUP_DEADLINE,
  DATABASE_URL: databaseVariables.DATABASE_URL,
  ...kafkaVariables,
  ...retryVariables,
  TOPIC_REPLICATION: countVariable(
    3,
    { min: 1, max: 10 },
    "Copies of each topic that is created. With 2 or more, writes wait for all copies but one.",
  ),
}
