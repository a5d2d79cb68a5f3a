export { type FreshDatabase, freshDatabase, kafkaBrokers, postgresAddress } from "./freshDatabase.ts"
export { freshTopics, silentLog } from "./freshTopics.ts"
export { waitUntil } from "./waitUntil.ts"
