export {
  type BeforeWrite,
  createEgress,
  type DownloadInput,
  type Egress,
  type EgressOptions,
  type RequestInput,
} from "./createEgress.ts"
export { egressVariables, rangesVariable } from "./egressVariables.ts"
export { LocalFault } from "./connection/localResourceError.ts"
export type { Lookup } from "./address/lookUpName.ts"
export type {
  Aborted,
  Answered,
  CallError,
  DownloadOutcome,
  Excerpt,
  Failed,
  Headers,
  Outcome,
  Timing,
} from "./request/outcome.ts"
export { type AddressPolicy, parsePolicy } from "./address/addressPolicy.ts"
export { type AddressVerdict, vetAddress } from "./address/vetIpAddress.ts"
export { type UrlRefusal, type UrlVerdict, vetUrl } from "./address/vetUrl.ts"
