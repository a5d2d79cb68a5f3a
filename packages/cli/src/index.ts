export { type Client, createClient, type DeliveryQuery, type PageQuery } from "./api/client.ts"
export { Failure } from "./errors/failure.ts"
export { type LocalStack, localStackFile, localStackSchema } from "./target/localStack.ts"
