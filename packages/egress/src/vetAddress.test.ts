import { expect, test } from "vitest"
import { parsePolicy } from "./policy.ts"
import { vetAddress } from "./vetAddress.ts"

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
  NAT64: ["64:ff9b::7f00:1", "64:ff9b::808:808", "64:ff9b:1::7f00:1"],
  "discard-only": ["100::1", "100:0:0:1::1"],
  Teredo: ["2001:0:7f00:1::1"],
  ORCHID: ["2001:10::1", "2001:20::1", "2001:30::1"],
  "6to4": ["2002:7f00:1::1", "2002:808:808::1"],
  "unique local": ["fc00::1", "fdff::1"],
  "site-local": ["fec0::1", "feff::1"],
  "segment routing": ["5f00::1"],
  "not handed out": ["4000::1", "8000::1", "e000::1", "1fff::1"],
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

test.each(Object.entries(BLOCKED))("%s is refused", (_, addresses) => {
  for (const address of addresses) {
    expect(vetAddress(address, strict), address).toMatchObject({ kind: "blocked" })
  }
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
  for (const address of open) expect(vetAddress(address, strict), address).toEqual({ kind: "ok" })
})

test("a range that the operator allows opens that range, in that family and spelling, and nothing beside it", () => {
  const policy = parsePolicy({ allow: ["10.20.0.0/16", "fd00:1::/32"], allowHttp: false })
  expect(vetAddress("10.20.255.1", policy)).toEqual({ kind: "ok" })
  expect(vetAddress("fd00:1::5", policy)).toEqual({ kind: "ok" })
  for (const address of ["10.21.0.1", "::ffff:10.20.0.1", "64:ff9b::a14:1", "2002:a14:1::1", "fd00:2::1"]) {
    expect(vetAddress(address, policy), address).toMatchObject({ kind: "blocked" })
  }
})

test("a range that is none is an error that names it", () => {
  expect(() => parsePolicy({ allow: ["10.0.0.0/8", "10.0.0.0/33"], allowHttp: false })).toThrow(
    /"10\.0\.0\.0\/33"/,
  )
  expect(() => parsePolicy({ allow: ["10.1.2.3"], allowHttp: false })).toThrow(/"10\.1\.2\.3"/)
})
