export { type PrepareSettings, prepare } from "./prepare.ts"
export { setupVariables } from "./variables.ts"
