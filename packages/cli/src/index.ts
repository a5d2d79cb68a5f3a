export { type Client, createClient } from "./api/client.ts"
export { Failure } from "./errors/failure.ts"
export { type LocalStack, localStackFile, localStackSchema } from "./target/localStack.ts"
