export {
  type JsonSchema,
  type MediaType,
  type OpenApi,
  type Operation,
  resolveResponse,
} from "./api/openapi/jsonSchema.ts"
export { openApiDocument } from "./api/openapi/openApiDocument.ts"
export { routes } from "./api/routes.ts"
export { createApiKey } from "./auth/apiKey.ts"
export { shownTo } from "./auth/caller.ts"
export { consoleVariables } from "./config.ts"
export { createConsole } from "./createConsole.ts"
