export { findTool } from "./findTool.ts"
export { type Alert, monitoringFolder, readAlerts, readRules } from "./rules.ts"
export { type Prometheus, startPrometheus } from "./startPrometheus.ts"
