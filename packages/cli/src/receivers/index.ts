export { type Certificate, makeCertificate } from "./makeCertificate.ts"
export {
  type Behaviour,
  type Expected,
  type ReceiverFaultName,
  receiverFaultNames,
  receiverFaults,
} from "./receiverFaults.ts"
export {
  type FaultyReceiver,
  type FaultyReceiverOptions,
  startFaultyReceiver,
} from "./startFaultyReceiver.ts"
export type { Received } from "./startReceiver.ts"
export { type Receiver, startReceiver } from "./startReceiver.ts"
