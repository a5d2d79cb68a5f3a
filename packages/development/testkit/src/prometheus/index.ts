export { findTool } from "./findTool.ts"
export { readFiringAlerts } from "./readFiringAlerts.ts"
export { type Alert, monitoringFolder, prometheusRule, readAlerts, rulesFile } from "./rules.ts"
export { type Prometheus, startPrometheus } from "./startPrometheus.ts"
