export { gatewayVariables } from "./config.ts"
