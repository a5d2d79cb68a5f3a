export { type Client, createClient, type DeliveryQuery, type PageQuery } from "./client.ts"
export { Failure } from "./failure.ts"
export { type LocalStack, localStackFile, localStackSchema } from "./localStack.ts"
