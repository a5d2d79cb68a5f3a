import { readFileSync } from "node:fs"
import { type ScopeName, scopeNames } from "@sitewire/contracts"
import { afterAll, beforeAll, expect, test } from "vitest"
import { answerTests, insertTenant, type Tenant, tenantOf } from "../../test/fixtures/insertTenant.ts"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"
import type { Route } from "../api/implement.ts"
import { routes } from "../api/routes.ts"

let console: TestConsole
let count = 0
const newId = () => `t${++count}`

beforeAll(async () => {
  console = await startConsole({
    invalidTopic: { end: async () => ({}), read: async () => ({ records: [], next: {}, ended: true }) },
    readTopics: async () => [],
  })
  await answerTests(console.pool.sql)
})
afterAll(() => console.close())

type Request = {
  /** Default: the route's path with the tenant's id. */
  path?: string
  body?: object
  /** What a list contains of the tenant. Without it, the status decides. */
  contains?: string
}

/**
 * How each route is called about a tenant. `own`: it is the tenant of the key. "everybody": the route is about no tenant.
 * "itself": it is about the key of the request.
 */
type Call = "everybody" | "itself" | ((tenant: Tenant, scope: ScopeName, own: boolean) => Request)

const byId: Call = () => ({})
const ofDelivery: Call = () => ({})
const listed: Call = ({ id }) => ({ contains: `"${id}"` })
const address = "https://new.example/"
const createdAfter = () => new Date(Date.now() - 60_000).toISOString()

/** Of jobs, the erasure is data protection's own, and the resend is the operators' own. */
const jobOf = ({ erasure, resend }: Tenant, scope: ScopeName, own: boolean) =>
  (scope === "personal-data") === own ? erasure : resend
const ofJob =
  (suffix: string): Call =>
  (tenant, scope, own) => ({
    path: `/v1/jobs/${jobOf(tenant, scope, own)}${suffix}`,
  })

const calls: Record<string, Call> = {
  createChannel: () => ({ body: { address } }),
  listChannels: listed,
  readChannel: byId,
  readChannelHealth: byId,
  // Its partner may change only this field.
  changeChannel: (_, scope) => ({ body: scope === "channel" ? { standard_webhooks: true } : { address } }),
  changeAddress: () => ({ body: { address } }),
  deleteChannel: ({ id }) => ({ path: `/v1/channels/${id}?force=true` }),
  pauseChannel: byId,
  resumeChannel: byId,
  stageSecret: byId,
  readStagedSecret: byId,
  activateSecret: byId,
  revertSecret: byId,
  retireSecret: byId,
  testChannel: byId,
  testSecret: byId,
  createConnection: ({ site }) => ({ body: { site, source: address } }),
  listConnections: listed,
  readConnection: byId,
  changeConnection: () => ({ body: { source: address } }),
  deleteConnection: byId,
  readConnectionTriggerUrl: byId,
  replaceConnectionToken: byId,
  replaceConnectionSecret: byId,
  requestSync: byId,
  listSyncs: listed,
  listWindows: byId,
  readSnapshot: byId,
  listDeliveries: ({ id, delivery }, scope, own) => ({
    // A publisher knows the id of its own event only.
    path: scope === "publisher" && own ? `/v1/deliveries?event_id=${id}` : "/v1/deliveries",
    contains: delivery,
  }),
  readDelivery: ofDelivery,
  listAttempts: ofDelivery,
  revealDelivery: ofDelivery,
  resendDelivery: ofDelivery,
  cancelDelivery: ofDelivery,
  listInvalidEvents: "everybody",
  createResendJob: ({ id }) => ({ body: { filter: { channel: id, state: "dead" }, reason: "r" } }),
  createReplayJob: () => ({ body: { filter: { reason: "unknown" }, reason: "r" } }),
  createErasureJob: ({ site }) => ({ body: { site_url: `https://${site}/`, reason: "r" } }),
  createReconcileJob: () => ({ body: { created_after: createdAfter() } }),
  listJobs: (tenant, scope, own) => ({ contains: `"${jobOf(tenant, scope, own)}"` }),
  readJob: ofJob(""),
  cancelJob: ofJob("/cancel"),
  createApiKey: ({ id }) => ({ body: { name: "n", scopes: [`channel:${id}`] } }),
  listApiKeys: listed,
  readCurrentApiKey: "itself",
  readApiKey: byId,
  revokeApiKey: byId,
  createSignInLink: "itself",
  listSessions: ({ id }) => ({ contains: `"ses_${id}"` }),
  endSession: ({ id }) => ({ path: `/v1/sessions/ses_${id}` }),
  endSessions: ({ id }, _, own) => ({
    path: `/v1/sessions?owner=${own ? "current" : id}`,
    contains: '"ended":1',
  }),
  readStatistics: ({ id }) => ({ path: `/v1/statistics?channel=${id}` }),
  openStream: ({ id }, scope) => ({
    path: `/v1/stream?${scope === "channel" ? "channel" : "connection"}=${id}`,
  }),
  listTopics: "everybody",
  listIncidents: listed,
  acknowledgeIncident: () => ({ body: { note: "n" } }),
  withdrawAcknowledgement: byId,
  listAudit: listed,
}

/** The tenants' channels have a staged secret, and these routes need another state. */
const preparations: Record<string, string> = {
  stageSecret: "other_secret_id = null, other_secret_sealed = null, other_secret_state = null",
  revertSecret: "other_secret_state = 'retiring'",
  changeAddress: "partner_may_change_address = true",
}

const scopeOf = (name: ScopeName, { id, site }: Tenant) =>
  name === "channel" || name === "connection" ? `${name}:${id}` : name === "site" ? `site:${site}` : name

test("each route shows each scope what docs/reference/scopes.md states: all, its own, or nothing", async () => {
  const observed: string[] = []
  for (const route of routes) {
    if (route.allow === "anyone") continue
    const cells: string[] = []
    for (const name of scopeNames) cells.push(await observe(route, name))
    observed.push(`| \`${route.method.toUpperCase()} ${route.path}\` | ${cells.join(" | ")} |`)
  }
  const page = readFileSync(new URL("../../../../docs/reference/scopes.md", import.meta.url), "utf8")
  expect(observed).toEqual(page.split("\n").filter((line) => /^\| `[A-Z]+ \//.test(line)))
  const [stored] = await console.pool.sql<{ text: string }>(
    "select string_agg(response, '') as text from idempotency_record",
  )
  expect(stored?.text).not.toMatch(/\b(sw[a-z]|whsec)_[\w+/-]{30}|connectors.hook/)
})

async function observe(route: Route, name: ScopeName): Promise<"all" | "own" | "–"> {
  const call = calls[route.operation]
  if (call === undefined) throw new Error(`${route.operation} has no entry in the calls of this test`)
  const [own, other] = [
    await insertTenant(console.pool.sql, newId()),
    await insertTenant(console.pool.sql, newId()),
  ]
  const prepared = preparations[route.operation]
  if (prepared) await console.pool.sql(`update channel set ${prepared}`)
  const key = await console.keyWith(scopeOf(name, own))
  if (route.path.startsWith("/v1/sessions")) {
    await insertSession(own, "key_sha256 = sha256($2)", Buffer.from(key))
    await insertSession(other, "id = $2", other.id)
  }
  // A partner's key sees the resends that it has requested itself.
  if (name === "channel")
    await console.pool.sql(
      "update job set requested_by = (select id || ' (' || name || ')' from api_key where key_sha256 = sha256($1)) where id = $2",
      [Buffer.from(key), own.resend],
    )
  const reach = (tenant: Tenant, isOwn: boolean) =>
    send(route, key, tenant, typeof call === "string" ? {} : call(tenant, name, isOwn))
  const place = `${route.operation} with ${name}`
  const ofOwn = await reach(own, true)
  if (!ofOwn.reached) {
    expect(ofOwn.status, place).toBe(403)
    if (!route.endless) expect(ofOwn.json.code, place).toBe("missing-scope")
    return "–"
  }
  if (typeof call === "string") return call === "itself" ? "own" : "all"
  const ofOther = await reach(other, false)
  if (ofOther.reached) return "all"
  expect([200, 400, 403, 404], place).toContain(ofOther.status)
  if (ofOther.status === 404) {
    // What is hidden cannot be told from what does not exist.
    const missing = tenantOf(newId(), "01900000-0000-7000-8000-000000000003")
    const ofMissing = await reach(missing, false)
    const comparable = ({ status, json }: typeof ofOther, { id, delivery }: Tenant) => ({
      status,
      json: {
        ...json,
        request_id: "",
        detail: String(json.detail)
          .replaceAll(delivery, "*")
          .replaceAll(new RegExp(`${id}\\b`, "g"), "*"),
      },
    })
    expect(comparable(ofMissing, missing), place).toEqual(comparable(ofOther, other))
  }
  return "own"
}

/** Somebody has signed in with the key. */
async function insertSession({ id }: Tenant, ofKey: string, value: unknown): Promise<void> {
  await console.pool.sql(
    `insert into session (id, token_sha256, key_id, idle_seconds, expires_at)
     select 'ses_' || $1::text, sha256(convert_to($1, 'UTF8')), id, 60, now() + interval '1 hour' from api_key where ${ofKey}`,
    [id, value],
  )
}

async function send(route: Route, key: string, tenant: Tenant, { path, body, contains }: Request) {
  const id = route.path.startsWith("/v1/deliveries") ? tenant.delivery : tenant.id
  const url = path ?? route.path.replace("{id}", id)
  const method = route.endless ? "HEAD" : route.method.toUpperCase()
  const sent = await console.call(method, url, {
    key,
    ...(body ? { body } : {}),
    ...(route.method === "post" ? { headers: { "idempotency-key": newId() } } : {}),
  })
  const succeeded = sent.status < 300
  return { ...sent, reached: succeeded && (contains === undefined || sent.text.includes(contains)) }
}

test("every route has an entry in this test, and no other has", () => {
  const keyed = routes.filter(({ allow }) => allow !== "anyone").map(({ operation }) => operation)
  expect(Object.keys(calls).toSorted()).toEqual(keyed.toSorted())
})

test("a key of several scopes sees what each of them shows", async () => {
  const [one, two, three] = [
    await insertTenant(console.pool.sql, newId()),
    await insertTenant(console.pool.sql, newId()),
    await insertTenant(console.pool.sql, newId()),
  ]
  const ids = async (path: string, ...scopes: string[]) => {
    const { json } = await console.call("GET", path, { key: await console.keyWith(...scopes) })
    return (json.data as { id: string }[]).map(({ id }) => id)
  }
  expect(await ids("/v1/channels", `channel:${one.id}`, `channel:${two.id}`, "admin")).toEqual([
    two.id,
    one.id,
  ])
  expect(await ids("/v1/connections", `site:${one.site}`, `connection:${three.id}`)).toEqual([
    three.id,
    one.id,
  ])
  const hidden = await console.call("GET", `/v1/deliveries?channel=${two.id}`, {
    key: await console.keyWith(`channel:${one.id}`),
  })
  expect(hidden.status).toBe(404)
})

test("a key without a scope that the route needs gets 403, and learns which one it needs", async () => {
  const { id } = await insertTenant(console.pool.sql, newId())
  const rejected = await console.call("POST", `/v1/channels/${id}/pause`, {
    key: await console.keyWith("read"),
  })
  expect(rejected).toMatchObject({ status: 403, json: { code: "missing-scope" } })
  expect(rejected.json.detail).toContain("It needs one of these scopes: operate.")
})

test("keys of read see addresses without their query, which the audit log never contains", async () => {
  const { id, site, delivery } = await insertTenant(console.pool.sql, newId())
  const body = { address: "https://partner.example/hook?token=changed" }
  expect((await console.call("PATCH", `/v1/channels/${id}`, { body })).json.address).toBe(body.address)
  const source = "https://source.example/v2?token=changed"
  await console.call("PATCH", `/v1/connections/${id}`, { body: { source } })
  const paths = {
    channel: [...[`/v1/channels/${id}`, "/v1/channels"], `/v1/deliveries/${delivery}`],
    connection: [`/v1/connections/${id}`, "/v1/connections"],
  }
  const reader = await console.keyWith("read")
  for (const path of [...paths.channel, ...paths.connection]) {
    const { status, text } = await console.call("GET", path, { key: reader })
    expect({ status, leaks: text.includes("token=") }, path).toEqual({ status: 200, leaks: false })
  }
  for (const [scope, own] of [
    [`channel:${id}`, paths.channel],
    [`site:${site}`, paths.connection],
    [`connection:${id}`, paths.connection],
  ] as const)
    for (const path of own)
      expect((await console.call("GET", path, { key: await console.keyWith(scope) })).text).toContain(
        "token=",
      )
  // A search would otherwise find out the query, letter by letter.
  const found = await console.call("GET", "/v1/connections?q=token=c", { key: reader })
  expect(found.json.data).toEqual([])
  const audit = await console.call("GET", `/v1/audit?target_kind=channel&target=${id}`)
  const masked = "https://partner.example/hook?…"
  expect(audit.text).not.toContain("token=")
  expect(audit.json.data).toContainEqual(
    expect.objectContaining({
      changes: expect.objectContaining({ address: { old: masked, new: masked } }),
    }),
  )
})
