// For commands that read variables, and start faster without the logger and the metrics.
export { retryVariables } from "./commonVariables.ts"
export { ConfigurationError, readConfig } from "./config.ts"
export { contractDepartures } from "./contractDepartures.ts"
export { databaseAccess } from "./databaseAccess.ts"
export { kafkaOptions } from "./kafkaOptions.ts"
export { kafkaAuthVariables, topicVariables } from "./kafkaVariables.ts"
