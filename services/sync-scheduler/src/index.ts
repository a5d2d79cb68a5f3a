export { schedulerVariables } from "./config.ts"
