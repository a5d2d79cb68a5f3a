import { booleanVariable, listVariable } from "@sitewire/runtime"
import ipaddr from "ipaddr.js"
import type { PolicyOptions, PortRange } from "./address/addressPolicy.ts"

export function rangesVariable(description: string) {
  return listVariable("")
    .prefault("")
    .refine(
      (ranges) => ranges.every((range) => ipaddr.isValidCIDR(range)),
      "must be CIDR ranges such as 10.20.0.0/16, separated by commas",
    )
    .meta({ description })
}

/** No port below 1024 but those of web servers: mail, SSH, DNS, LDAP and file servers listen there. */
const defaultPorts = "80,443,1024-65535"

export const egressVariables = {
  ALLOW_HTTP: booleanVariable("Accept http: addresses beside https:. For the local stack only."),
  ALLOWED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) that may be called although they are private or otherwise special.",
  ),
  DENIED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) that are not called although they are public or in ALLOWED_RANGES, such as those of your own public servers.",
  ),
  ALLOWED_PORTS: listVariable("")
    .refine(
      (ports) => ports.length > 0 && ports.map(readPorts).every(isPortRange),
      "must be ports from 1 to 65535 and ranges of ports such as 8000-8999, separated by commas",
    )
    .transform((ports) => ports.map(readPorts))
    .prefault(defaultPorts)
    .meta({
      description:
        "Ports and ranges of ports, separated by commas, that addresses of partners may have. The tightest useful value is 443.",
    }),
}

function readPorts(text: string): PortRange {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  return [Number(first), Number(last)]
}

function isPortRange([first, last]: PortRange): boolean {
  return first >= 1 && first <= last && last <= 65_535
}

/** For the processes that check and call the addresses of channels. */
export const partnerEgressVariables = {
  ...egressVariables,
  PARTNER_ALLOWED_RANGES: rangesVariable(
    "IP ranges (CIDR, separated by commas) that are allowed beside public addresses for channels whose partner may change the address. ALLOWED_RANGES does not apply to them. Use the same value for dispatchers and consoles.",
  ),
}

/** The rules for addresses of partners. */
export function policyOf(config: {
  ALLOW_HTTP: boolean
  ALLOWED_RANGES: string[]
  DENIED_RANGES: string[]
  ALLOWED_PORTS: readonly PortRange[]
}): PolicyOptions {
  return {
    allow: config.ALLOWED_RANGES,
    deny: config.DENIED_RANGES,
    ports: config.ALLOWED_PORTS,
    allowHttp: config.ALLOW_HTTP,
  }
}
