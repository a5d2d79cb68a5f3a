export { findJava } from "./local/findJava.ts"
export { kafkaJars, kafkaToolsJar } from "./local/kafkaJars.ts"
export { launchServer, type Running } from "./local/launchServer.ts"
export { processStartTime, signalIfRunning } from "./local/processes.ts"
export type { ClientLogin } from "./local/startLocalKafka.ts"
export { pickPort } from "./pickPort.ts"
export { scramLogin } from "./scramLogin.ts"
export {
  type BackingServices,
  removeBackingData,
  startBackingServices,
  startOwnBackingServices,
} from "./startBackingServices.ts"
export { startKafka } from "./startKafka.ts"
export { startKafkaCluster } from "./startKafkaCluster.ts"
export { startPostgres } from "./startPostgres.ts"
export { type LocalService, startedHere } from "./types.ts"
