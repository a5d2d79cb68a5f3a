export {
  type BeforeWrite,
  createEgress,
  type DownloadInput,
  type Egress,
  type EgressOptions,
  type RequestInput,
} from "./createEgress.ts"
export { egressVariables, rangesVariable } from "./egressVariables.ts"
export { LocalFault } from "./localFault.ts"
export type { Lookup } from "./lookup.ts"
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
} from "./outcome.ts"
export { type AddressPolicy, parsePolicy } from "./policy.ts"
export { type AddressVerdict, vetAddress } from "./vetAddress.ts"
export { type UrlRefusal, type UrlVerdict, vetUrl } from "./vetUrl.ts"
