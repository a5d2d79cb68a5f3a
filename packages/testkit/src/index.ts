export { closedPort } from "./closedPort.ts"
export { type FreshDatabase, freshDatabase, kafkaBrokers, postgresAddress } from "./freshDatabase.ts"
export { freshTopics, silentLog } from "./freshTopics.ts"
export { readArguments } from "./readArguments.ts"
export type { Received } from "./receive.ts"
export { type StartedProcess, startProcess } from "./startProcess.ts"
export { type Receiver, startReceiver } from "./startReceiver.ts"
export { waitUntil } from "./waitUntil.ts"
export {
  makeCertificate,
  rebindingLookup,
  startZooPartner,
  type ZooName,
  type ZooPartner,
  zoo,
  zooNames,
} from "./zoo/index.ts"
