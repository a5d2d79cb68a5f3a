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
    .describe(description)
}

/** No port below 1024 but those of web servers: mail, SSH, DNS, LDAP and file servers listen there. */
const defaultPorts = "80,443,1024-65535"

export const egressVariables = {
  ALLOW_HTTP: booleanVariable("Accept http: addresses beside https:. For the local stack only."),
  PARTNER_ALLOWED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) that may be called although they are private or otherwise special, where partners and owners of sites choose the address: connections' sources, except those of executors, and channels whose partner may change the address.",
  ),
  DENIED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) that are not called although they are public or allowed, such as those of your own public servers.",
  ),
  ALLOWED_PORTS: listVariable("")
    .refine(
      (ports) => ports.length > 0 && ports.map(readPorts).every(isPortRange),
      "must be ports from 1 to 65535 and ranges of ports such as 8000-8999, separated by commas",
    )
    .transform((ports) => ports.map(readPorts))
    .prefault(defaultPorts)
    .describe(
      "Ports and ranges of ports, separated by commas, that addresses of partners may have. The tightest useful value is 443.",
    ),
}

function readPorts(text: string): PortRange {
  const [, first, last = first] = /^(\d{1,5})(?:-(\d{1,5}))?$/.exec(text) ?? []
  return [Number(first), Number(last)]
}

function isPortRange([first, last]: PortRange): boolean {
  return first >= 1 && first <= last && last <= 65_535
}

/** For the processes that check and call the addresses of channels. */
export const channelEgressVariables = {
  ...egressVariables,
  ALLOWED_RANGES: rangesVariable(
    "Address ranges (CIDR, separated by commas) that may be called although they are private or otherwise special, for channels whose address only operators set.",
  ),
}

/** The rules for addresses of partners, with the ranges that are allowed beside public addresses. */
export function policyOf(
  config: { ALLOW_HTTP: boolean; DENIED_RANGES: string[]; ALLOWED_PORTS: readonly PortRange[] },
  allow: string[],
): PolicyOptions {
  return {
    allow,
    deny: config.DENIED_RANGES,
    ports: config.ALLOWED_PORTS,
    allowHttp: config.ALLOW_HTTP,
  }
}
