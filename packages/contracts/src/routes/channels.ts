import { channelHealthSchema } from "../api/channelHealth.ts"
import {
  activateQuerySchema,
  changeAddressSchema,
  changeChannelSchema,
  channelQuerySchema,
  channelSchema,
  createChannelSchema,
  createdChannelSchema,
  deleteChannelQuerySchema,
  deletedChannelSchema,
  listedChannelSchema,
  secretQuerySchema,
  stagedSecretSchema,
  testChannelSchema,
} from "../api/channels.ts"
import { testDeliverySchema } from "../api/receiverChecks.ts"
import { idParameter } from "./parameters.ts"
import { pageOf, type Route } from "./route.ts"

const testUnavailable =
  "The test was not begun within 5 seconds or not finished within 15 seconds, or the database is unavailable."

export const channelRoutes = {
  createChannel: {
    method: "post",
    path: "/v1/channels",
    summary: "Create a channel",
    allow: { operate: "all" },
    shownOnce: "POST /v1/channels/{id}/secret/stage begins a rotation to a new signing secret.",
    description: "The response contains the signing secret, which is never shown again.",
    body: createChannelSchema,
    success: {
      status: 201,
      description: "The channel with its signing secret.",
      schema: createdChannelSchema,
    },
    otherResponses: { 409: "The id is taken, or a deleted channel had it." },
  },
  listChannels: {
    method: "get",
    path: "/v1/channels",
    summary: "Search channels, newest first",
    allow: { read: "all", channel: "own" },
    expensive: true,
    query: channelQuerySchema,
    success: pageOf(listedChannelSchema, "ChannelPage", "A page of channels."),
  },
  readChannel: {
    method: "get",
    path: "/v1/channels/{id}",
    summary: "Read a channel",
    allow: { read: "all", channel: "own" },
    params: idParameter,
    etag: true,
    success: { status: 200, description: "The channel, without its secrets.", schema: channelSchema },
  },
  readChannelHealth: {
    method: "get",
    path: "/v1/channels/{id}/health",
    summary: "Read how deliveries to a channel go",
    allow: { read: "all", channel: "own" },
    description:
      "The circuit breaker and concurrency in each running dispatcher, what waits and why, what is dead, the success rate and latency in the last hour and day, and the last success and failure.",
    expensive: true,
    params: idParameter,
    success: { status: 200, description: "The channel's health.", schema: channelHealthSchema },
  },
  changeChannel: {
    method: "patch",
    path: "/v1/channels/{id}",
    summary: "Change a channel's address, headers, maximum rate or contact",
    allow: { operate: "all", channel: "own" },
    description:
      "Takes effect at once, also for existing deliveries that wait for their next attempt. With the scope `channel:<id>`, only `standard_webhooks`, `request_headers` and `contact` may be changed; POST /v1/channels/{id}/change-address changes the address, if an operator allows it.",
    params: idParameter,
    body: changeChannelSchema,
    otherResponses: { 412: "The channel has changed since the version in If-Match." },
    success: { status: 200, description: "The updated channel.", schema: channelSchema },
  },
  changeAddress: {
    method: "post",
    path: "/v1/channels/{id}/change-address",
    summary: "Change a channel's address after a challenge",
    allow: { operate: "all", channel: "own" },
    description:
      "Sends a test delivery to the new address, signed by the channel's secret, with a random value in the header X-Sitewire-Challenge. If the receiver returns it in the same header of a 2xx response, the address is changed, also for existing deliveries that wait for their next attempt. Otherwise nothing changes, and deliveries go to the previous address. With the scope `channel:<id>`, an operator must have set the channel's `partner_may_change_address`.",
    params: idParameter,
    body: changeAddressSchema,
    success: { status: 200, description: "The channel with its new address.", schema: channelSchema },
    otherResponses: {
      409: "The receiver did not answer the challenge, the channel was changed meanwhile, or another change of the address has not finished.",
      429: "Challenges were sent for this channel 5 times in a minute or 50 times in a day, or the key has sent too many requests.",
      503: testUnavailable,
    },
  },
  deleteChannel: {
    method: "delete",
    path: "/v1/channels/{id}",
    summary: "Delete a channel",
    allow: { operate: "all" },
    description:
      "Refused while deliveries are pending, unless `force` is true. Later events of the channel are invalid (unknown channel). Its deliveries stay readable until they are old. It cannot be undone, and its id is not used again. API keys lose the scope channel:<id>; a key without another scope is revoked.",
    params: idParameter,
    query: deleteChannelQuerySchema,
    otherResponses: { 409: "Deliveries are pending, and `force` is not true." },
    success: {
      status: 200,
      description: "The channel is deleted, with its secrets.",
      schema: deletedChannelSchema,
    },
  },
  pauseChannel: {
    method: "post",
    path: "/v1/channels/{id}/pause",
    summary: "Pause a channel",
    allow: { operate: "all" },
    description:
      "Within a second no new attempt starts; attempts in flight end. Deliveries are stored and deferred: they use up no attempt, and the pause does not count towards their retry period. Pausing a paused channel changes nothing.",
    params: idParameter,
    success: { status: 200, description: "The updated channel.", schema: channelSchema },
  },
  resumeChannel: {
    method: "post",
    path: "/v1/channels/{id}/resume",
    summary: "Resume a paused channel",
    allow: { operate: "all" },
    description:
      "Deferred deliveries are sent at once, oldest first: one at a time initially, and more with each success. Resuming a channel that is not paused changes nothing.",
    params: idParameter,
    success: { status: 200, description: "The updated channel.", schema: channelSchema },
  },
  stageSecret: {
    method: "post",
    path: "/v1/channels/{id}/secret/stage",
    summary: "Stage a new signing secret",
    allow: { operate: "all", channel: "own" },
    shownOnce: "GET /v1/channels/{id}/secret/staged shows it until it is activated.",
    description:
      "Begins a rotation. The response contains the new secret. Until it is activated, `secret/staged` shows it again. X-Sitewire-Signature is made with the active secret until the new one is activated; Standard Webhooks headers, if on, contain a signature by each from now on.",
    params: idParameter,
    success: { status: 200, description: "The channel with its staged secret.", schema: stagedSecretSchema },
    otherResponses: { 409: "A rotation is in progress: a secret is staged or retiring." },
  },
  readStagedSecret: {
    method: "get",
    path: "/v1/channels/{id}/secret/staged",
    summary: "Show the staged signing secret",
    allow: { operate: "all", channel: "own" },
    description:
      "For a partner who did not get it. Once it is activated, nobody can read it again, also not after `secret/revert`. The audit log shows who read it.",
    reveals: true,
    params: idParameter,
    success: { status: 200, description: "The channel with its staged secret.", schema: stagedSecretSchema },
    otherResponses: { 409: "No secret is staged." },
  },
  activateSecret: {
    method: "post",
    path: "/v1/channels/{id}/secret/activate",
    summary: "Activate the staged signing secret",
    allow: { operate: "all", channel: "own" },
    description:
      "From now on X-Sitewire-Signature is made with the new secret, also for existing deliveries. The previous secret is retiring: if Standard Webhooks headers are on, they contain a signature by each until it is retired. Until then, `secret/revert` returns to it.",
    params: idParameter,
    query: activateQuerySchema,
    success: { status: 200, description: "The updated channel.", schema: channelSchema },
    otherResponses: {
      409: "No secret is staged, the staged one is not `secret_id`, or its last test found that the receiver does not accept it.",
    },
  },
  revertSecret: {
    method: "post",
    path: "/v1/channels/{id}/secret/revert",
    summary: "Return to the retiring signing secret",
    allow: { operate: "all", channel: "own" },
    description:
      "Undoes an activation while the previous secret is retained: it signs again, also for existing deliveries, and the other one is retiring. Repeat it to undo that.",
    params: idParameter,
    query: activateQuerySchema,
    success: { status: 200, description: "The updated channel.", schema: channelSchema },
    otherResponses: {
      409: "No secret is retiring, the retiring one is not `secret_id`, or its last test found that the receiver does not accept it.",
    },
  },
  retireSecret: {
    method: "post",
    path: "/v1/channels/{id}/secret/retire",
    summary: "Delete the secret that is not active",
    allow: { operate: "all", channel: "own" },
    description:
      "Ends a rotation: deletes the retiring secret, or the staged one to abandon the rotation. Pass `secret_id` if somebody else may be rotating too. The active secret is left unchanged.",
    params: idParameter,
    query: secretQuerySchema,
    success: { status: 200, description: "The updated channel.", schema: channelSchema },
    otherResponses: { 409: "There is no other secret, or the other one is not `secret_id`." },
  },
  testChannel: {
    method: "post",
    path: "/v1/channels/{id}/test",
    summary: "Send a test delivery",
    allow: { operate: "all", channel: "own" },
    description:
      "Sends one delivery with fictional data to the channel's address, and returns what came back. It is signed as a genuine one and marked: `reference` is `sitewire-test`, and the header X-Sitewire-Test is `true`. It is sent even if the channel is paused or its circuit breaker is open. It is not retried, and not in the list of deliveries. An operator may give another address, to test it before it is set.",
    params: idParameter,
    body: testChannelSchema,
    success: { status: 200, description: "The attempt.", schema: testDeliverySchema },
    otherResponses: {
      409: "Another test delivery has not finished, or the id of the new channel is taken.",
      503: testUnavailable,
    },
  },
  testSecret: {
    method: "post",
    path: "/v1/channels/{id}/secret/test",
    summary: "Test the secret that is not active",
    allow: { operate: "all", channel: "own" },
    description:
      "Sends a test delivery that is signed only by the staged or retiring secret, and returns what came back. The channel's `other_secret` shows it, and a secret that was not accepted becomes active only by force.",
    params: idParameter,
    success: { status: 200, description: "The attempt.", schema: testDeliverySchema },
    otherResponses: {
      409: "There is no other secret, or another test of it has not finished.",
      503: testUnavailable,
    },
  },
} satisfies Record<string, Route>
