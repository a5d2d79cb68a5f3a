export { forgetBackings } from "./forget.ts"
export { startKafka } from "./startKafka.ts"
export { startPostgres } from "./startPostgres.ts"
export type { Backing, BackingOptions, GivenBacking, Progress, StartedBacking } from "./types.ts"
