export { gatewayVariables } from "./variables.ts"
