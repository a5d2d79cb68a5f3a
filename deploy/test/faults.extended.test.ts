import { readFile } from "node:fs/promises"
import { findUv, needs } from "@sitewire/testkit/needs"
import { expect, test } from "vitest"
import { combinations } from "../combinations.ts"
import { parseRendered, renderOverlayText } from "../render.ts"
import { findFaults, measuredMemory } from "./fixtures/findFaults.ts"

// kubectl is installed with pip.
needs(findUv)

const render = (name: string) => {
  const { overlay = "production", ...changes } = combinations[name] ?? {}
  return renderOverlayText(overlay, changes)
}

test.each(Object.keys(combinations))("the combination %s has no faults", async (name) => {
  expect(findFaults(parseRendered(await render(name)))).toEqual([])
})

/** A fault that is planted in a combination: what is replaced, after the first match of `after`, by what. */
const planted: [string, string, { after?: string; replace: string | RegExp; by: string; found: RegExp }][] = [
  [
    "ingress-nginx logs paths",
    "ingress",
    { replace: /.*enable-access-log.*\n/, by: "", found: /tokens are logged: nginx/ },
  ],
  [
    "Traefik logs paths",
    "single-node",
    {
      replace: 'observability.accesslogs: "false"',
      by: 'observability.accesslogs: "true"',
      found: /tokens are logged/,
    },
  ],
  [
    "Envoy logs paths",
    "production",
    { replace: /\n {2}infrastructure:\n(?: {4}.*\n)+/, by: "\n", found: /tokens are logged: no EnvoyProxy/ },
  ],
  [
    "too little memory for the scheduler",
    "production",
    { replace: "memory: 768Mi", by: "memory: 200Mi", found: /sync-scheduler may use less/ },
  ],
  [
    "a request below what was measured",
    "production",
    {
      after: "name: webhook-dispatcher\n        ports",
      replace: "memory: 256Mi",
      by: "memory: 192Mi",
      found: /requests less/,
    },
  ],
  [
    "a drain that is longer than the stop",
    "production",
    { replace: "GATEWAY_DRAIN_DELAY: 20s", by: "GATEWAY_DRAIN_DELAY: 55s", found: /drains until/ },
  ],
  [
    "a deadline that is longer than the grace period",
    "production",
    { replace: "SHUTDOWN_DEADLINE: 50s", by: "SHUTDOWN_DEADLINE: 70s", found: /killed before/ },
  ],
  [
    "a process without monitoring",
    "production",
    {
      after: "kind: PodMonitor",
      replace: "      - webhook-dispatcher\n",
      by: "",
      found: /metrics of webhook-dispatcher/,
    },
  ],
  [
    "a certificate in another Secret",
    "production",
    {
      replace: "secretName: trigger-gateway-tls\n---",
      by: "secretName: gateway-tls\n---",
      found: /another Secret than/,
    },
  ],
  [
    "a certificate of another host",
    "production",
    { after: "dnsNames:", replace: "- hooks.example", by: "- api.example", found: /another host/ },
  ],
  [
    "a Secret from another entry of the store",
    "argocd",
    {
      replace: "key: sitewire/sealing-keys",
      by: "key: sitewire/sealing",
      found: /sealing-keys is made from/,
    },
  ],
  [
    "one property of an entry",
    "argocd",
    {
      replace: "key: sitewire/sealing-keys",
      by: "key: sitewire/sealing-keys\n      property: key",
      found: /only the key key/,
    },
  ],
  [
    "a rate limit for nothing",
    "production",
    {
      after: "kind: BackendTrafficPolicy",
      replace: /(kind: HTTPRoute\n {4}name: )trigger-gateway/,
      by: "$1triggers",
      found: /no HTTPRoute triggers/,
    },
  ],
  [
    "a console without a limit",
    "operators",
    {
      after: "kind: BackendTrafficPolicy",
      replace: /(kind: HTTPRoute\n {4}name: )console/,
      by: "$1trigger-gateway",
      found: /no BackendTrafficPolicy limits the HTTPRoute console/,
    },
  ],
  [
    "an Ingress without a limit",
    "ingress",
    { replace: /.*limit-rps.*\n/, by: "", found: /ingress-nginx does not limit requests of console/ },
  ],
  [
    "a limit of Traefik in another namespace",
    "single-node",
    { replace: "sitewire-limit@", by: "default-limit@", found: /Traefik does not limit/ },
  ],
  [
    "a budget for all gateways",
    "production",
    {
      after: "kind: PodDisruptionBudget",
      replace: "maxUnavailable: 1",
      by: "maxUnavailable: 2",
      found: /evicted/,
    },
  ],
  [
    "one older image",
    "production",
    { replace: "sync-scheduler:0.1.0", by: "sync-scheduler:0.0.9", found: /several versions/ },
  ],
  [
    "a Service without pods",
    "production",
    { after: "kind: Service\n", replace: "port: 8090", by: "port: 8091", found: /leads to no port/ },
  ],
  [
    "a route to another Service",
    "production",
    {
      after: "backendRefs:",
      replace: "name: trigger-gateway",
      by: "name: gateway",
      found: /no Service gateway/,
    },
  ],
]

test.each(planted)("%s is found", async (_, combination, { after = "", replace, by, found }) => {
  const text = await render(combination)
  const from = text.indexOf(after)
  expect(from).toBeGreaterThanOrEqual(0)
  const changed = text.slice(0, from) + text.slice(from).replace(replace, by)
  expect(changed).not.toBe(text)
  const faults = findFaults(parseRendered(changed))
  expect(
    faults.filter((fault) => found.test(fault)),
    faults.join("\n"),
  ).not.toEqual([])
})

test("the memory that was measured is that of the page about sizes", async () => {
  const page = await readFile(new URL("../../docs/operators/sizing.md", import.meta.url), "utf8")
  const {
    "webhook-dispatcher": dispatcher,
    "sync-scheduler": scheduler,
    "trigger-gateway": gateway,
  } = measuredMemory
  expect(page).toContain(`at most ${dispatcher}, ${scheduler} and ${gateway} MB`)
})
