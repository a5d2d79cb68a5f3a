import {
  attemptSchema,
  cancelDeliverySchema,
  cancelledDeliverySchema,
  deliveryBodySchema,
  deliveryQuerySchema,
  deliveryWithAttemptsSchema,
  listedDeliverySchema,
  resendAcceptedSchema,
  resendDeliverySchema,
} from "../api/deliveries.ts"
import { pageQuerySchema } from "../api/pagination.ts"
import { deliveryIdParameter } from "./parameters.ts"
import { pageOf, type Route } from "./route.ts"

export const deliveryRoutes = {
  listDeliveries: {
    method: "get",
    path: "/v1/deliveries",
    summary: "List or search deliveries, newest first",
    description:
      "All filters can be combined. Searches read an index, newest first. A search is ended after five seconds, which it takes only if very many deliveries match its most selective filter and hardly any of them matches the others: narrow the time then.",
    allow: { read: "all", channel: "own", publisher: "own" },
    expensive: true,
    query: deliveryQuerySchema,
    problems: ["not-found", "search-too-broad"],
    success: pageOf(listedDeliverySchema, "DeliveryPage"),
  },
  readDelivery: {
    method: "get",
    path: "/v1/deliveries/{id}",
    summary: "Read a delivery with its newest attempts, and what was sent",
    description:
      "E-mail addresses in the body and in responses are masked. `GET /v1/deliveries/{id}/body` reveals those of the body.",
    allow: { read: "all", channel: "own" },
    params: deliveryIdParameter,
    success: { schema: deliveryWithAttemptsSchema },
  },
  listAttempts: {
    method: "get",
    path: "/v1/deliveries/{id}/attempts",
    summary: "List a delivery's attempts, newest first",
    allow: { read: "all", channel: "own" },
    description: "E-mail addresses in responses are masked.",
    params: deliveryIdParameter,
    query: pageQuerySchema,
    success: pageOf(attemptSchema, "AttemptPage"),
  },
  revealDelivery: {
    method: "get",
    path: "/v1/deliveries/{id}/body",
    summary: "Reveal a delivery's body",
    allow: { "personal-data": "all", channel: "own" },
    description:
      "The bytes that every attempt sends, with personal data. The audit log shows who read them. A text in JSON equals these bytes in UTF-8. A key that may resend the delivery also gets the headers of the newest attempt with whole signatures, so that the partner's developers can send the request to a receiver on their own machine.",
    reveals: true,
    params: deliveryIdParameter,
    problems: ["erased"],
    success: { schema: deliveryBodySchema },
  },
  resendDelivery: {
    method: "post",
    path: "/v1/deliveries/{id}/resend",
    summary: "Resend a delivery now",
    allow: { operate: "all", channel: "own" },
    problems: ["erased", "channel-deleted", "too-many-resends"],
    description:
      "Possible in every state but `erased`. The delivery is deferred, and sent as soon as its channel has capacity: the same id and bytes, to the channel's current address. If the attempt fails, a new retry period begins. Several requests before the attempt cause one attempt. Each counts towards the limit of an hour.",
    params: deliveryIdParameter,
    body: resendDeliverySchema,
    success: { status: 202, schema: resendAcceptedSchema },
  },
  cancelDelivery: {
    method: "post",
    path: "/v1/deliveries/{id}/cancel",
    summary: "Cancel a pending delivery",
    allow: { operate: "all" },
    description:
      "No further attempt starts. An attempt that is in flight is not interrupted: `attempt_in_flight` says whether there may be one. If the partner accepts it, the delivery becomes `delivered`; otherwise it stays `cancelled`. A cancelled delivery can be resent.",
    params: deliveryIdParameter,
    body: cancelDeliverySchema,
    problems: ["not-pending"],
    success: { schema: cancelledDeliverySchema },
  },
} satisfies Record<string, Route>
