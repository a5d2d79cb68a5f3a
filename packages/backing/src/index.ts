export { forgetBackingServices } from "./forget.ts"
export { nodeArguments, nodeEnvironment } from "./nodeArguments.ts"
export { processStartTime } from "./processes.ts"
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
