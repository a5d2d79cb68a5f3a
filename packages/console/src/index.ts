export { createApiKey } from "./apiKey.ts"
export { openApiDocument } from "./openApiDocument.ts"
export { consoleVariables } from "./variables.ts"
