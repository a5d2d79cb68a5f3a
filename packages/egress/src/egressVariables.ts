import { listVariable } from "@sitewire/runtime"
import ipaddr from "ipaddr.js"
import { z } from "zod"

/** Address ranges that `parsePolicy` takes. */
export function rangesVariable(description: string) {
  return listVariable("")
    .prefault("")
    .refine(
      (ranges) => ranges.every((range) => ipaddr.isValidCIDR(range)),
      "must be CIDR ranges such as 10.20.0.0/16, separated by commas",
    )
    .meta({ description })
}

/** Who may be called: shared by all that call addresses which partners gave. */
export const egressVariables = {
  ALLOW_HTTP: z
    .enum(["true", "false"], "must be true or false")
    .default("false")
    .transform((text) => text === "true")
    .meta({ description: "Accept http: addresses beside https:. For the local stack only." }),
  ALLOWED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) that may be called although they are private or otherwise special.",
  ),
}
