const causes = {
  "unreadable-request": {
    status: 400,
    meaning: "The body is not valid JSON or is incomplete, or the path has an invalid % escape.",
    remedy: "Send valid JSON in UTF-8, and encode the path.",
  },
  "invalid-request": {
    status: 400,
    meaning: "Fields of the body or the query break a rule.",
    remedy: "Correct the fields that `errors` lists.",
  },
  "missing-api-key": {
    status: 401,
    meaning: "The request has no Authorization header.",
    remedy: "Send `Authorization: Bearer swk_…`.",
  },
  "invalid-api-key": {
    status: 401,
    meaning: "The API key is malformed or unknown, or it was revoked or has expired.",
    remedy: "Use a valid key, or ask an operator for one.",
  },
  "invalid-session": {
    status: 401,
    meaning:
      "There is no session: nobody has signed in, the user has signed out, the session has expired, or its API key was revoked or has expired.",
    remedy: "Sign in to the web console.",
  },
  "sign-in-rejected": {
    status: 401,
    meaning: "The API key, the sign-in link or the response of the identity provider is invalid.",
    remedy: "Use a valid API key, ask for a new link, or begin the sign-in again.",
  },
  "missing-scope": {
    status: 403,
    meaning: "None of the API key's scopes allows this operation.",
    remedy: "Use a key with one of the scopes that `detail` names.",
  },
  "no-roles": {
    status: 403,
    meaning: "The identity provider knows the user, and gives the user no scope of Sitewire.",
    remedy: "Ask an operator for a role, and sign in again.",
  },
  "key-required": {
    status: 403,
    title: "API key required",
    meaning: "The operation needs an API key, and the request has the session of a web console.",
    remedy: "Send `Authorization: Bearer swk_…`.",
  },
  "foreign-origin": {
    status: 403,
    meaning: "A page that is not the console's own sent the request, or the console has another address.",
    remedy: "Open the web console at its own address, which CONSOLE_ORIGIN states.",
  },
  "invalid-csrf-token": {
    status: 403,
    meaning:
      "The request has the cookie of a session, and its `X-CSRF-Token` is missing or of another session.",
    remedy: "Send the `csrf_token` of `GET /session` as `X-CSRF-Token`, or reload the page.",
  },
  "not-found": {
    status: 404,
    meaning: "The resource does not exist, or the API key may not see it.",
    remedy: "Check the id. The list of the resources shows those that exist.",
  },
  "unknown-path": {
    status: 404,
    meaning: "The API has no such path.",
    remedy: "GET /openapi.json lists all paths.",
  },
  "nothing-fetched": {
    status: 404,
    title: "Nothing fetched yet",
    meaning: "No sync of the connection has stored content yet.",
    remedy: "Wait for a sync, or read why the last one failed.",
  },
  "method-not-allowed": {
    status: 405,
    meaning: "The path does not support the method.",
    remedy: "Use one of the methods in the `Allow` header.",
  },
  "id-taken": {
    status: 409,
    meaning: "Another resource has this id, or a channel that was deleted had it.",
    remedy: "Choose another id, or omit it to get one.",
  },
  "secret-not-accepted": {
    status: 409,
    meaning:
      "The last test of the secret that would become active found that the receiver does not accept it.",
    remedy: "Let the receiver accept the secret and test it again, or repeat the request with `force=true`.",
  },
  "address-not-confirmed": {
    status: 409,
    meaning:
      "The receiver at the new address did not answer the challenge, or the channel was changed meanwhile. The address is as before.",
    remedy: "Correct what `detail` states, and send the request again with a new Idempotency-Key.",
  },
  "too-many-connections": {
    status: 409,
    meaning: "The site has as many connections as SITE_MAX_CONNECTIONS allows.",
    remedy: "Delete a connection that is not used, or ask an operator for a higher limit.",
  },
  "search-too-broad": {
    status: 422,
    meaning:
      "The search took too long and was ended: very many deliveries match one of its filters, and hardly any of them match the others.",
    remedy: "Narrow the time with `created_after` and `created_before`, or leave out a filter.",
  },
  "rotation-conflict": {
    status: 409,
    meaning: "The channel's secrets are in another state than the step needs.",
    remedy: "Read the channel, and then take the step that fits its state.",
  },
  erased: {
    status: 409,
    meaning: "The delivery was erased on request, so there is nothing to send or show.",
    remedy: "Nothing can be done: an erasure is final.",
  },
  "not-pending": {
    status: 409,
    meaning:
      "The delivery has been delivered, is dead, or was cancelled or erased, so there is nothing to cancel.",
    remedy: "Nothing needs to be done.",
  },
  "deliveries-pending": {
    status: 409,
    title: "Deliveries are pending",
    meaning: "The channel has deliveries that wait for an attempt, so it was not deleted.",
    remedy: "Wait for them, or delete the channel with `force=true`: they then become dead and are not sent.",
  },
  "channel-deleted": {
    status: 409,
    meaning: "The delivery's channel was deleted, so there is no address to send it to.",
    remedy: "None. The id of a deleted channel is not used again.",
  },
  "secret-shown-once": {
    status: 409,
    meaning:
      "An earlier request with this Idempotency-Key was executed. Its response contained a secret, which is shown only once and is not stored.",
    remedy: "If that response was lost, get a new secret as `detail` describes.",
  },
  "check-running": {
    status: 409,
    meaning: "Another test delivery or change of the address has not finished.",
    remedy: "Wait until it has, and send the request again.",
  },
  "job-running": {
    status: 409,
    meaning: "An earlier resend of the channel has not finished. A partner's key starts one at a time.",
    remedy: "Wait until it has, and send the request again.",
  },
  "job-done": {
    status: 409,
    meaning: "The job has finished, so it cannot be cancelled.",
    remedy: "Nothing needs to be done.",
  },
  "incident-resolved": {
    status: 409,
    meaning: "The incident is over, so its acknowledgement cannot be changed.",
    remedy:
      "Nothing needs to be done. If the incident exists again, it has another id: list the open incidents.",
  },
  "content-replaced": {
    status: 410,
    meaning:
      "The connection has another content than that of the sync in `fence`, which is no longer stored.",
    remedy: "Read the newest content, without `fence`.",
  },
  "changed-meanwhile": {
    status: 412,
    meaning: "The resource is not in the version that `If-Match` names.",
    remedy: "Read it again, and repeat the change with its new ETag.",
  },
  "body-too-large": {
    status: 413,
    meaning: "The body is larger than 64 KiB.",
    remedy: "Send less in one request.",
  },
  "unsupported-body": {
    status: 415,
    meaning: "The body is not JSON in UTF-8, or it is compressed.",
    remedy: "Send JSON with `Content-Type: application/json`.",
  },
  "idempotency-key-reused": {
    status: 422,
    meaning: "The Idempotency-Key was used in the last 24 hours for a different request.",
    remedy: "Use a new key for every new request.",
  },
  "too-many-requests": {
    status: 429,
    meaning:
      "The API key has sent more requests than its limit allows, or too many of its requests that read much wait for each other.",
    remedy: "Send one request after the other, or wait for the number of seconds in `Retry-After`.",
  },
  "too-many-resends": {
    status: 429,
    meaning: "The delivery was resent as often in the last hour as it may be.",
    remedy: "Wait for the number of seconds in `Retry-After`. Deliveries of other events can be resent.",
  },
  "too-many-address-changes": {
    status: 429,
    title: "Too many changes of the address",
    meaning:
      "Challenges were sent for this channel as often as they may be: 5 times in a minute, 50 in a day.",
    remedy: "Wait for the number of seconds in `Retry-After`, or ask an operator to change the address.",
  },
  "too-many-streams": {
    status: 429,
    meaning:
      "There are too many open streams: 10 of an API key, and 100 of a console, of which 50 for keys of partners, are allowed.",
    remedy: "Close a stream, or try again after the number of seconds in `Retry-After`.",
  },
  "sign-in-disabled": {
    status: 403,
    meaning: "The console accepts sign-ins with OpenID Connect only, so neither keys nor their links.",
    remedy: "Sign in with OpenID Connect, or have SIGN_IN_WITH_KEY changed.",
  },
  "too-many-sign-ins": {
    status: 429,
    meaning:
      "Too many sign-ins from the client's address have failed, or have begun at the identity provider.",
    remedy: "Wait for the number of seconds in `Retry-After`.",
  },
  "internal-error": {
    status: 500,
    meaning: "The server failed unexpectedly. Its log has the error under the request's id.",
    remedy: "Try again. If it happens again, report the request id to the operator.",
  },
  "database-unavailable": {
    status: 503,
    meaning: "Postgres did not respond.",
    remedy: "Try again after the number of seconds in `Retry-After`.",
  },
  "test-not-sent": {
    status: 503,
    meaning: "The test delivery was not begun within 5 seconds. Nothing was sent.",
    remedy:
      "Send the request again with a new Idempotency-Key. If it fails again, the operator's incidents say why.",
  },
  "test-unfinished": {
    status: 503,
    meaning: "The test delivery was begun, but has no outcome.",
    remedy: "Send the request again with a new Idempotency-Key.",
  },
  "provider-unavailable": {
    status: 503,
    title: "Identity provider unavailable",
    meaning: "The identity provider of OpenID Connect did not respond, or its response is unusable.",
    remedy: "Try again, or sign in with an API key or a sign-in link. The console's log has the cause.",
  },
  "kafka-unavailable": {
    status: 503,
    meaning: "Kafka did not respond.",
    remedy: "Try again after the number of seconds in `Retry-After`.",
  },
} as const satisfies Record<string, Cause>

type Cause = { status: number; title?: string; meaning: string; remedy: string }

export type ProblemCode = keyof typeof causes

/**
 * Every cause of an error response of the management API. `meaning` and `remedy` are the public documentation of
 * the code (docs/reference/problems.md, GET /problems). A code never changes its meaning.
 */
export const problemCodes = Object.fromEntries(
  Object.entries(causes).map(([code, cause]) => [code, { title: titleOf(code), ...cause }]),
) as Record<ProblemCode, Required<Cause>>

/** The title, unless the cause has one: its words, as "Missing API key". */
function titleOf(code: string): string {
  const words = code
    .replaceAll("-", " ")
    .replace("sign in", "sign-in")
    .replace(/\bapi\b|csrf/, (name) => name.toUpperCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}
