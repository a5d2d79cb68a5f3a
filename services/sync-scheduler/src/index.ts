export { schedulerVariables } from "./variables.ts"
