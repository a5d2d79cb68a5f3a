import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace"
import type { SamplerName } from "../telemetryVariables.ts"

/**
 * `rootRatio`: the share of traces without a parent for which the SDK is called at all. For `parentbased_traceidratio`,
 * it is the ratio, and the sampler records all of them. The SDK calls a sampler only after it has made ids and a context,
 * which takes 5 µs: 3 % of the CPU time of a delivery, although most of the traces are not recorded.
 */
export function createSampler(name: SamplerName, ratio: number): { sampler: Sampler; rootRatio: number } {
  if (name !== "parentbased_traceidratio") return { sampler: samplerOf(name, ratio), rootRatio: 1 }
  return { sampler: samplerOf("parentbased_always_on", ratio), rootRatio: ratio }
}

function samplerOf(name: Exclude<SamplerName, "parentbased_traceidratio">, ratio: number): Sampler {
  switch (name) {
    case "always_on":
      return new AlwaysOnSampler()
    case "always_off":
      return new AlwaysOffSampler()
    case "traceidratio":
      return new TraceIdRatioBasedSampler(ratio)
    case "parentbased_always_on":
      return new ParentBasedSampler({ root: new AlwaysOnSampler() })
    case "parentbased_always_off":
      return new ParentBasedSampler({ root: new AlwaysOffSampler() })
  }
}
