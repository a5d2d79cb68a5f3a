export { type PrepareSettings, prepare } from "./prepare.ts"
export { setupVariables } from "./config.ts"
