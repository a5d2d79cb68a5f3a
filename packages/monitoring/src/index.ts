export { findTool } from "./findTool.ts"
export { type Prometheus, startPrometheus } from "./prometheus/startPrometheus.ts"
