import ipaddr from "ipaddr.js"
import { expect, test } from "vitest"
import { parsePolicy } from "./addressPolicy.ts"
import { DENIED, vetIpAddress } from "./vetIpAddress.ts"

const strict = parsePolicy({ allow: [], allowHttp: false })

const BLOCKED = {
  "this network": ["0.0.0.0", "0.255.255.255"],
  private: ["10.0.0.0", "10.255.255.255", "172.16.0.0", "172.31.255.255", "192.168.0.0", "192.168.255.255"],
  "carrier-grade NAT": ["100.64.0.0", "100.127.255.255", "100.100.100.200"],
  loopback: ["127.0.0.1", "127.255.255.255", "::1"],
  "link-local": ["169.254.0.0", "169.254.255.255", "fe80::1", "febf::1", "fe80::1%eth0"],
  metadata: ["169.254.169.254", "fd00:ec2::254", "168.63.129.16", "192.0.0.192"],
  "protocol assignments": ["192.0.0.0", "192.0.0.255", "2001::", "2001:1ff:ffff::"],
  documentation: ["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff::1", "3fff:fff::1"],
  "6to4 relay anycast": ["192.88.99.1"],
  "AS112 and AMT": [
    "192.31.196.1",
    "192.175.48.1",
    "192.52.193.1",
    "2001:4:112::1",
    "2620:4f:8000::1",
    "2001:3::1",
  ],
  benchmarking: ["198.18.0.0", "198.19.255.255", "2001:2::1"],
  multicast: ["224.0.0.0", "239.255.255.255", "ff02::1", "ff0e::1"],
  "reserved and broadcast": ["240.0.0.0", "255.255.255.254", "255.255.255.255"],
  unspecified: ["::"],
  "IPv4-mapped": ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:8.8.8.8"],
  "IPv4-compatible": ["::127.0.0.1", "::8.8.8.8"],
  "IPv4-translated": ["::ffff:0:127.0.0.1"],
  "NAT64 of a blocked IPv4 address": [
    "64:ff9b::7f00:1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b::a00:1",
    "64:ff9b::a83f:8110",
  ],
  "NAT64 of a network's own": ["64:ff9b:1::7f00:1", "64:ff9b:1::808:808"],
  "discard-only": ["100::1", "100:0:0:1::1"],
  Teredo: ["2001:0:7f00:1::1"],
  ORCHID: ["2001:10::1", "2001:20::1", "2001:30::1"],
  "6to4": ["2002:7f00:1::1", "2002:808:808::1"],
  "unique local": ["fc00::1", "fdff::1"],
  "site-local": ["fec0::1", "feff::1"],
  "segment routing": ["5f00::1"],
  "not assigned": ["4000::1", "8000::1", "e000::1", "1fff::1"],
  "no address": [
    "",
    "localhost",
    "127.1",
    "0177.0.0.1",
    "0x7f.0.0.1",
    "2130706433",
    "1.2.3",
    "1.2.3.4.5",
    "[::1]",
  ],
}

test.each(Object.entries(BLOCKED))("%s is blocked", (_, addresses) => {
  for (const address of addresses) {
    expect(vetIpAddress(address, strict), address).toMatchObject({ kind: "blocked" })
  }
})

test("an address of DNS64 is allowed if the IPv4 address inside is", () => {
  expect(vetIpAddress("64:ff9b::808:808", strict)).toEqual({ kind: "ok" })
  expect(vetIpAddress("64:ff9b::8.8.8.8", strict)).toEqual({ kind: "ok" })
})

// The IANA special-purpose address registries, with what has been assigned within their blocks, and
// multicast.
const REGISTRY_V4 = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.0.0/29",
  "192.0.0.8/32",
  "192.0.0.9/32",
  "192.0.0.10/32",
  "192.0.0.170/31",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "255.255.255.255/32",
]
const REGISTRY_V6 = [
  "::/128",
  "::1/128",
  "::ffff:0:0/96",
  "64:ff9b:1::/48",
  "100::/64",
  "100:0:0:1::/64",
  "2001::/23",
  "2001::/32",
  "2001:1::1/128",
  "2001:1::2/128",
  "2001:1::3/128",
  "2001:2::/48",
  "2001:3::/32",
  "2001:4:112::/48",
  "2001:10::/28",
  "2001:20::/28",
  "2001:30::/28",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
  "5f00::/16",
  "fc00::/7",
  "fe80::/10",
  "ff00::/8",
]

test("every block of IANA's registries is blocked, from its first address to its last", () => {
  const edges = [
    ...REGISTRY_V4.flatMap((block) => [
      ipaddr.IPv4.networkAddressFromCIDR(block),
      ipaddr.IPv4.broadcastAddressFromCIDR(block),
    ]),
    ...REGISTRY_V6.flatMap((block) => [
      ipaddr.IPv6.networkAddressFromCIDR(block),
      ipaddr.IPv6.broadcastAddressFromCIDR(block),
    ]),
  ]
  for (const edge of edges)
    expect(vetIpAddress(edge.toString(), strict), String(edge)).toMatchObject({ kind: "blocked" })
})

test("global unicast addresses next to special ranges are called", () => {
  const open = ["1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255"]
  open.push("128.0.0.0", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.0")
  open.push("192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255")
  open.push(
    "2001:200::1",
    "2001:4860:4860::8888",
    "2001:db7::1",
    "2003::1",
    "2606:4700::1111",
    "3ffe::1",
    "2a00::1",
  )
  open.push("192.0.3.0", "192.31.195.255", "192.31.197.0", "192.88.98.255", "192.88.100.0", "198.51.99.255")
  open.push(
    "198.51.101.0",
    "203.0.112.255",
    "203.0.114.0",
    "2001:db9::",
    "2620:4f:7fff:ffff::1",
    "2620:4f:8001::",
  )
  for (const address of open) expect(vetIpAddress(address, strict), address).toEqual({ kind: "ok" })
})

test("a range that the operator allows opens that range, in that family and spelling, and nothing beside it", () => {
  const policy = parsePolicy({ allow: ["10.20.0.0/16", "fd00:1::/32"], allowHttp: false })
  expect(vetIpAddress("10.20.255.1", policy)).toEqual({ kind: "ok" })
  expect(vetIpAddress("fd00:1::5", policy)).toEqual({ kind: "ok" })
  for (const address of ["10.21.0.1", "::ffff:10.20.0.1", "64:ff9b::a14:1", "2002:a14:1::1", "fd00:2::1"]) {
    expect(vetIpAddress(address, policy), address).toMatchObject({ kind: "blocked" })
  }
})

test("a range that the operator denies is blocked although it is public or allowed, also behind a translator", () => {
  const deny = ["198.20.0.0/16", "2a00:1::/32", "10.96.0.0/12"]
  const policy = parsePolicy({ allow: ["10.0.0.0/8"], deny, allowHttp: false })
  for (const address of ["198.20.4.5", "2a00:1::5", "10.96.0.1", "64:ff9b::c614:405"])
    expect(vetIpAddress(address, policy), address).toEqual({ kind: "blocked", range: DENIED })
  for (const address of ["198.21.0.1", "2a00:2::1", "10.1.0.1"])
    expect(vetIpAddress(address, policy), address).toEqual({ kind: "ok" })
})

test("a range that is none is an error that names it", () => {
  expect(() => parsePolicy({ allow: ["10.0.0.0/8", "10.0.0.0/33"], allowHttp: false })).toThrow(
    /"10\.0\.0\.0\/33"/,
  )
  expect(() => parsePolicy({ allow: ["10.1.2.3"], allowHttp: false })).toThrow(/"10\.1\.2\.3"/)
})
