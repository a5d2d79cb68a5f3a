import { findUv, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { vetIpAddress } from "../../packages/egress/src/address/vetIpAddress.ts"
import { parsePolicy } from "../../packages/egress/src/index.ts"
import { type Changes, renderOverlay } from "../render.ts"
import { evaluatePolicies, type Peer } from "./fixtures/evaluatePolicies.ts"

// kubectl and the analyser of policies are installed with pip.
needs(findUv)

const dns: Peer = { namespace: "kube-system", name: "dns", labels: { "k8s-app": "kube-dns" } }
const openshiftDns: Peer = {
  namespace: "openshift-dns",
  name: "dns",
  labels: { "dns.operator.openshift.io/daemonset-dns": "default" },
}
const peers: Peer[] = [
  dns,
  openshiftDns,
  { namespace: "kube-system", name: "other" },
  { namespace: "kafka", name: "broker" },
  { namespace: "postgres", name: "primary" },
  { namespace: "monitoring", name: "prometheus" },
  { namespace: "observability", name: "collector" },
  { namespace: "envoy-gateway-system", name: "proxy" },
  { namespace: "elsewhere", name: "stranger", labels: { "k8s-app": "kube-dns" } },
  // A pod of an operator, and not of Sitewire.
  { namespace: "sitewire", name: "toolbox" },
]
const services = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher", "console"]
const callers = ["sync-scheduler", "webhook-dispatcher"]
const all = [...services, "setup"]

async function connections(changes: Changes) {
  const resources = await renderOverlay("production", changes)
  const found = await evaluatePolicies(resources, peers)
  const ours = found.filter(({ from, to }) => all.some((name) => [from, to].includes(`sitewire/${name}`)))
  const isAddress = (peer: string) => /^[\d:]/.test(peer)
  return {
    pods: ours
      .filter(({ from, to }) => !isAddress(from) && !isAddress(to))
      .map(({ from, to, allowed }) => `${from} => ${to}: ${allowed}`)
      .toSorted(),
    fromAddresses: ours.filter(({ from }) => isAddress(from)),
    toAddresses: ours.filter(({ to }) => isAddress(to)),
  }
}

function expectedPods({ kafka, dns, dnsPort }: { kafka: string; dns: string; dnsPort: string }) {
  return [
    ...all.flatMap((name) => [
      `sitewire/${name} => kafka/broker: TCP ${kafka}`,
      `sitewire/${name} => postgres/primary: TCP 5432`,
      `sitewire/${name} => ${dns}: TCP,UDP ${dnsPort}`,
    ]),
    ...services.map((name) => `monitoring/prometheus => sitewire/${name}: TCP 9090`),
    "envoy-gateway-system/proxy => sitewire/trigger-gateway: TCP 8080",
    "sitewire/toolbox => sitewire/console: TCP 8090",
  ].toSorted()
}

test.each([
  ["alone", [], { kafka: "9092", dns: "kube-system/dns", dnsPort: "53" }],
  ["with Strimzi", ["strimzi"], { kafka: "9093", dns: "kube-system/dns", dnsPort: "53" }],
  ["on OpenShift", ["openshift"], { kafka: "9092", dns: "openshift-dns/dns", dnsPort: "5353" }],
])("default-deny %s allows exactly what each process needs", async (_, more, expected) => {
  const { pods, fromAddresses } = await connections({ components: ["console", "default-deny", ...more] })
  expect(pods).toEqual(expectedPods(expected))
  expect(fromAddresses).toEqual([])
})

test("with Kafka and Postgres outside the cluster, their addresses are reached instead of namespaces", async () => {
  const { pods, toAddresses } = await connections({
    components: ["console", "default-deny", "kafka-external", "postgres-external"],
    settings: {
      installation: {
        KAFKA_CIDR: "10.40.0.0/16",
        KAFKA_PORT: "9098",
        POSTGRES_CIDR: "10.50.0.8/32",
        POSTGRES_PORT: "6432",
      },
    },
  })
  const usual = expectedPods({ kafka: "9092", dns: "kube-system/dns", dnsPort: "53" })
  expect(pods).toEqual(usual.filter((connection) => !/=> (kafka|postgres)\//.test(connection)))
  for (const name of all) {
    const from = `sitewire/${name}`
    expect(toAddresses).toContainEqual({ from, to: "10.40.0.0-10.40.255.255", allowed: "TCP 9098" })
    expect(toAddresses).toContainEqual({ from, to: "10.50.0.8", allowed: "TCP 6432" })
  }
})

test.each(["gateway-api", "ingress"])(
  "with console-%s, the proxy reaches the console as well",
  async (name) => {
    const installation = { CONSOLE_HOST: "console.example", PROXY_CIDR: "10.42.0.0/16" }
    const components = ["console", "default-deny", name, `console-${name}`]
    const { pods } = await connections({ components, settings: { installation } })
    const usual = expectedPods({ kafka: "9092", dns: "kube-system/dns", dnsPort: "53" })
    expect(pods).toEqual([...usual, "envoy-gateway-system/proxy => sitewire/console: TCP 8090"].toSorted())
  },
)

test("with opentelemetry, the processes that send something reach the collector as well", async () => {
  const { pods } = await connections({ components: ["console", "default-deny", "opentelemetry"] })
  const usual = expectedPods({ kafka: "9092", dns: "kube-system/dns", dnsPort: "53" })
  const added = services.map((name) => `sitewire/${name} => observability/collector: TCP 4318`)
  expect(pods).toEqual([...usual, ...added].toSorted())
})

test("only the two services that call partners reach the internet, and no address that they would refuse", async () => {
  const { toAddresses } = await connections({ components: ["console", "default-deny"] })
  // NodeLocal DNSCache, and Cloud DNS of GKE.
  const dnsAddresses = ["169.254.20.10", "169.254.169.254"]
  const names = toAddresses.filter(({ to }) => dnsAddresses.includes(to))
  for (const to of dnsAddresses)
    for (const name of all)
      expect(names).toContainEqual({ from: `sitewire/${name}`, to, allowed: "TCP,UDP 53" })
  const internet = toAddresses.filter(({ to }) => !dnsAddresses.includes(to))
  expect([...new Set(internet.map(({ from }) => from))].sort()).toEqual(
    callers.map((name) => `sitewire/${name}`),
  )
  expect(new Set(internet.map(({ allowed }) => allowed))).toEqual(new Set(["TCP"]))

  const ranges = (name: string) =>
    internet.filter(({ from }) => from === `sitewire/${name}`).map(({ to }) => readRange(to))
  const allowed = ranges("sync-scheduler")
  expect(ranges("webhook-dispatcher")).toEqual(allowed)
  const policy = parsePolicy({ allow: [], allowHttp: false })
  for (const address of sampleAddresses()) {
    const number = toNumber(address)
    const isAllowed = allowed.some(({ first, last }) => first <= number && number <= last)
    if (isAllowed !== (vetIpAddress(address, policy).kind === "ok"))
      expect.fail(`${address} is ${isAllowed ? "allowed" : "denied"} by the policy, unlike by the services`)
  }
})

/** IPv4 addresses are before IPv6 addresses, like mapped ones, which no policy names. */
function toNumber(address: string): bigint {
  if (!address.includes(":")) return address.split(".").reduce((sum, part) => sum * 256n + BigInt(part), 0n)
  const [head = "", tail = ""] = address.split("::")
  const groups = (text: string) => (text === "" ? [] : text.split(":"))
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => "0")
  const parts = address.includes("::") ? [...groups(head), ...zeros, ...groups(tail)] : groups(address)
  return parts.reduce((sum, part) => sum * 65_536n + BigInt(`0x${part}`), 0n)
}

function readRange(text: string) {
  const [first = "", last = first] = text.split("-")
  return { first: toNumber(first), last: toNumber(last) }
}

/** One address of each /16 of IPv4, of each /24 where smaller ranges are special, and likewise of IPv6. */
function* sampleAddresses(): Generator<string> {
  for (let first = 0; first < 256; first++) {
    for (let second = 0; second < 256; second++) {
      yield `${first}.${second}.1.1`
      if (![168, 192, 198, 203].includes(first)) continue
      for (let third = 0; third < 256; third++) yield `${first}.${second}.${third}.16`
    }
  }
  const hex = (number: number) => number.toString(16)
  for (let first = 0x2000; first < 0x4000; first++) yield `${hex(first)}:ffff::1`
  for (const first of ["2001", "2002", "3fff"])
    for (let second = 0; second < 0x10000; second += 0x7) yield `${first}:${hex(second)}:0:0:0:0:0:1`
  for (const address of ["2620:4f:8000::1", "2620:4f:7fff::1", "fd00::1", "fe80::1", "::1", "4000::1"])
    yield address
}
