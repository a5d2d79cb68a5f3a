export { type AddressPolicy, type PolicyOptions, parsePolicy } from "./address/addressPolicy.ts"
export type { Lookup } from "./address/lookUpName.ts"
export { type IpVerdict, vetIpAddress } from "./address/vetIpAddress.ts"
export { type UrlRejection, type UrlVerdict, vetUrl } from "./address/vetUrl.ts"
export { LocalResourceError } from "./connection/localResourceError.ts"
export {
  type BeforeWrite,
  createEgress,
  type DownloadInput,
  type Egress,
  type EgressOptions,
  type RequestInput,
} from "./createEgress.ts"
export { channelEgressVariables, egressVariables, policyOf, rangesVariable } from "./egressVariables.ts"
export type {
  Aborted,
  CallError,
  DownloadOutcome,
  Excerpt,
  Failed,
  Headers,
  Outcome,
  Responded,
  Timing,
} from "./request/outcome.ts"
