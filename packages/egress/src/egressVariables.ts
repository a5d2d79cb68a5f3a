import { booleanVariable, listVariable } from "@sitewire/runtime"
import ipaddr from "ipaddr.js"

export function rangesVariable(description: string) {
  return listVariable("")
    .prefault("")
    .refine(
      (ranges) => ranges.every((range) => ipaddr.isValidCIDR(range)),
      "must be CIDR ranges such as 10.20.0.0/16, separated by commas",
    )
    .meta({ description })
}

export const egressVariables = {
  ALLOW_HTTP: booleanVariable("Accept http: addresses beside https:. For the local stack only."),
  ALLOWED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) that may be called although they are private or otherwise special.",
  ),
}
