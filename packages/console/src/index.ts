export { createApiKey } from "./auth/apiKey.ts"
export { openApiDocument } from "./api/openapi/openApiDocument.ts"
export { consoleVariables } from "./variables.ts"
