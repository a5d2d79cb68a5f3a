export { forgetBackingServices } from "./removeBackingData.ts"
export { nodeArguments, nodeEnvironment } from "../../installation/src/process/nodeArguments.ts"
export { processStartTime } from "./local/processes.ts"
export { startKafka } from "./startKafka.ts"
export { startKafkaCluster } from "./startKafkaCluster.ts"
export { startPostgres } from "./startPostgres.ts"
export type {
  BackingOptions,
  BackingService,
  GivenBackingService,
  Progress,
  StartedBackingService,
} from "./types.ts"
