export { openApiDocument } from "./api/openapi/openApiDocument.ts"
export { createApiKey } from "./auth/apiKey.ts"
export { consoleVariables } from "./config.ts"
export { createConsole } from "./createConsole.ts"
