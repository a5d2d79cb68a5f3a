export { setupVariables } from "./config.ts"
export { type PrepareSettings, prepare } from "./prepare.ts"
