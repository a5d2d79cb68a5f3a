export { addChannel } from "./data/addChannel.ts"
export { addConnections } from "./data/addConnections.ts"
export { findChromium } from "./findChromium.ts"
export { type Checkout, ownCheckout } from "./process/checkout.ts"
export { runScript, type StartedProcess, startProcess } from "./process/startProcess.ts"
export type { ProcessEvent, SupervisedProcess } from "./process/supervise.ts"
export { type ServiceName, services } from "./services.ts"
export { silentLog } from "./silentLog.ts"
export {
  type Installation,
  type InstallationBacking,
  type InstallationOptions,
  startInstallation,
} from "./startInstallation.ts"
