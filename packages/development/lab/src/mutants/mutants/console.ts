import type { Mutant } from "../mutant.ts"

const console = "packages/console/src"
// Its tests use what earlier ones have created, so all of them run.
const session = [`${console}/session/session.test.ts`]
const signInLinks = [`${console}/session/signInLinks.test.ts`]
const signInLimit = [`${console}/session/limitSignIns.test.ts`]
const scopes = [`${console}/auth/scopes.test.ts`]
const idempotency = ["packages/console/test/idempotency.test.ts"]
const connections = [`${console}/api/connections/connections.test.ts`]
const revealed = [`${console}/api/deliveries/revealDelivery.test.ts`]
const searched = [`${console}/api/deliveries/searchDeliveries.test.ts`]
const erasure = [`${console}/jobs/erasure/erasureStep.test.ts`]
const resend = [`${console}/jobs/resend/resendStep.test.ts`]
const stream = [`${console}/api/stream/stream.test.ts`]
const feed = [`${console}/stream/createChangeFeed.test.ts`]

export const consoleMutants: readonly Mutant[] = [
  {
    name: "Console: an API key is accepted after its expiry",
    file: `${console}/auth/apiKey.ts`,
    find: "and (expires_at is null or expires_at > now())",
    replace: "",
    tests: [`${console}/api/keys/keys.test.ts`],
  },
  {
    name: "Console: a revoked API key is accepted",
    file: `${console}/auth/apiKey.ts`,
    find: "where key_sha256 = $1 and revoked_at is null and",
    replace: "where key_sha256 = $1 and",
    tests: [`${console}/auth/authenticate.test.ts`],
    testName: "a revoked key is rejected at once",
  },
  {
    name: "Console: a session outlives its revoked key",
    file: `${console}/session/sessions.ts`,
    find: "(k.id is not null and k.revoked_at is null and (k.expires_at",
    replace: "(k.id is not null and (k.expires_at",
    tests: session,
  },
  {
    name: "Console: a session may write without its CSRF token",
    file: `${console}/auth/authenticate.ts`,
    find: "if (!isSafe(method) && !isCsrfTokenOf",
    replace: "if (false && !isCsrfTokenOf",
    tests: session,
  },
  {
    name: "Console: pages of other origins may use a session",
    file: `${console}/session/consoleOrigin.ts`,
    find: "(origin === undefined || origin === expected) &&",
    replace: "",
    tests: session,
  },
  {
    name: "Console: scripts can read the session's cookie",
    file: `${console}/session/sessionCookie.ts`,
    find: "httpOnly: true",
    replace: "httpOnly: false",
    tests: session,
  },
  {
    name: "Console: a sign-in link can be used twice",
    file: `${console}/session/signInLinks.ts`,
    find: "with used as (delete from sign_in_link where token_sha256 = $1 returning id, key_id, expires_at)",
    replace: "with used as (select id, key_id, expires_at from sign_in_link where token_sha256 = $1)",
    tests: signInLinks,
  },
  {
    name: "Console: a sign-in link works after ten minutes",
    file: `${console}/session/signInLinks.ts`,
    find: "where used.expires_at > now() and",
    replace: "where",
    tests: signInLinks,
    testName: "a link ends after ten minutes",
  },
  {
    name: "Console: parallel sign-ins with unknown keys use up the connections to Postgres",
    file: `${console}/session/signInRoutes.ts`,
    find: '  { prisma }: SignInContext,\n  { key, link = "" }: { key?: string | undefined; link?: string | undefined },\n  requestId: string,\n): Promise<{ token: string; expiresAt: Date } | null> {\n  return prisma.$transaction(async (transaction) => {\n    const within = { prisma: transaction, sql: sqlWithin(transaction) }',
    replace:
      '  { prisma, sql }: SignInContext,\n  { key, link = "" }: { key?: string | undefined; link?: string | undefined },\n  requestId: string,\n): Promise<{ token: string; expiresAt: Date } | null> {\n  return prisma.$transaction(async (transaction) => {\n    const within = { prisma: transaction, sql }',
    tests: signInLimit,
    testName: "more than the pool's connections",
  },
  {
    name: "Console: failed sign-ins of an address are not limited",
    file: `${console}/session/limitSignIns.ts`,
    find: "points: 10, duration: 600",
    replace: "points: 1000, duration: 600",
    tests: signInLimit,
  },
  {
    name: "Console: a key of one channel sees the deliveries of others",
    file: `${console}/api/deliveries/findDelivery.ts`,
    find: 'if (caller.channels === "all") return { id }',
    replace: "if (caller.channels.length > 0) return { id }",
    tests: revealed,
    testName: "nor to other channels",
  },
  {
    name: "Console: a key of a channel sees the deliveries of a deleted channel with the same id",
    file: `${console}/api/deliveries/findDelivery.ts`,
    find: "channelId: id, createdAt: { gte: createdAt }",
    replace: "channelId: id, createdAt: { gte: new Date(createdAt.getTime() * 0) }",
    tests: revealed,
    testName: "a new channel with the id of a deleted one",
  },
  {
    name: "Console: lists of a channel's key contain the deliveries of a deleted channel with the same id",
    file: `${console}/api/deliveries/findDeliveryIds.ts`,
    find: "created_at >= (select created_at from channel where channel.id = channel_id)",
    replace: "channel_id is not null",
    tests: revealed,
    testName: "a new channel with the id of a deleted one",
  },
  {
    name: "Console: a search by event finds the deliveries of other channels",
    file: `${console}/api/deliveries/findDeliveryIds.ts`,
    find: "channel_id = any(",
    replace: "'' <> all(",
    tests: searched,
    testName: "a search with a channel key",
  },
  {
    name: "Console: a partner's response shows e-mail addresses to readers",
    file: `${console}/api/deliveries/deliveryResponse.ts`,
    find: 'maskEmails(Buffer.from(row.responseExcerpt).toString("utf8"))',
    replace: 'Buffer.from(row.responseExcerpt).toString("utf8")',
    tests: revealed,
    testName: "a partner's response that repeats the body",
  },
  {
    name: "Console: a body is revealed without an entry in the audit log",
    file: `${console}/api/deliveries/revealDelivery.ts`,
    find: "  reveals: true,\n",
    replace: "",
    tests: revealed,
    testName: "the audit log shows who read it",
  },
  {
    name: "Console: a site's key lets a scheduler call any executor",
    file: `${console}/api/connections/rejectDelegate.ts`,
    find: '!runners.includes("delegate")',
    replace: "runners.length > 0",
    tests: connections,
    testName: "only an operator may create or change",
  },
  {
    name: "Console: a site's key creates connections of other sites",
    file: `${console}/api/connections/createConnection.ts`,
    find: "if (!sees(caller.sites, body.site)) return siteNotAllowed(body.site)",
    replace: "if (body.site === null) return siteNotAllowed(body.site)",
    tests: scopes,
    testName: "a site owner creates connections of its own site only",
  },
  {
    name: "Console: keys keep the scope of a deleted channel",
    file: `${console}/auth/removeChannelScope.ts`,
    find: "else array_remove(affected.scopes, $1) end",
    replace: "else affected.scopes end",
    tests: [`${console}/api/channels/deleteChannel.test.ts`],
    testName: "keys lose a deleted channel",
  },
  {
    name: "Console: a POST that is repeated under its Idempotency-Key is executed again",
    file: `${console}/api/idempotency.ts`,
    find: "where idempotency_record.created_at < now() - interval '24 hours'",
    replace: "where idempotency_record.created_at < now() + interval '24 hours'",
    tests: idempotency,
    testName: "creates nothing",
  },
  {
    name: "Console: the response for an Idempotency-Key is stored in plain text",
    file: `${console}/api/idempotency.ts`,
    find: "responseSealed: new Uint8Array(sealed)",
    replace: "responseSealed: new Uint8Array(Buffer.concat([sealed, Buffer.from(text)]))",
    tests: idempotency,
    testName: "secrets included",
  },
  {
    name: "Console: another request under a used Idempotency-Key gets the first one's response",
    file: `${console}/api/idempotency.ts`,
    find: "if (!requestSha256.equals(record.requestSha256)) {",
    replace: "if (requestSha256.length === 0) {",
    tests: idempotency,
    testName: "another request under a used key",
  },
  {
    name: "Console: the old trigger URL is valid after its token was replaced",
    file: `${console}/api/connections/replaceConnectionToken.ts`,
    find: "        tokenSha256: new Uint8Array(hashConnectorToken(token)),\n",
    replace: "",
    tests: connections,
    testName: "replacing a token leaves no trace of the old one",
  },
  {
    name: "Console: an erasure leaves what partners' responses repeated",
    file: `${console}/jobs/erasure/erasureStep.ts`,
    find: "update attempt set response_excerpt = null",
    replace: "update attempt set response_excerpt = response_excerpt",
    tests: erasure,
    testName: "no trace of an e-mail address",
  },
  {
    name: "Console: an erasure misses deliveries that dispatchers with an older list store",
    file: `${console}/jobs/erasure/erasureStep.ts`,
    find: "if (scanned.last && !finalPass) {",
    replace: "if (scanned.last && scanned.rows < 0) {",
    tests: erasure,
    testName: "the final pass",
  },
  {
    name: "Console: an erased event is replayed",
    file: `${console}/jobs/replay/replayFilter.ts`,
    find: "return value !== null && erasures.covers(value, appendedAt)",
    replace: "return value === null && erasures.covers(Buffer.alloc(0), appendedAt)",
    tests: [`${console}/jobs/replay/replayStep.test.ts`],
    testName: "leaves out events of an erased subject",
  },
  {
    name: "Console: a bulk resend that cannot be counted in time never begins",
    file: `${console}/jobs/resend/resendStep.ts`,
    find: "if (total === undefined) {",
    replace: "if (total === undefined || total === null) {",
    tests: resend,
    testName: "a count that takes too long",
  },
  {
    name: "Console: the stream sends the changes of other channels",
    file: `${console}/stream/createChangeFeed.ts`,
    find: "if (change.channel !== undefined) return sees(caller.channels, change.channel)",
    replace: "if (change.channel !== undefined) return true",
    tests: stream,
    testName: "a key sees only its channels' and sites' changes",
  },
  {
    name: "Console: the stream misses what is committed after a first poll that failed",
    file: `${console}/stream/createChangeFeed.ts`,
    find: "        position ??= await readPosition(sql)\n        position = await poll(position)",
    replace: "        position = await poll(position ?? (await readPosition(sql)))",
    tests: feed,
    testName: "after a first poll that failed",
  },
  {
    name: "Console: the cancellation of an old delivery is not streamed",
    file: `${console}/stream/readChanges.ts`,
    find: "target_kind = 'delivery'",
    replace: "target_kind = 'deliveries'",
    tests: stream,
    testName: "cancels or resends it",
  },
]
