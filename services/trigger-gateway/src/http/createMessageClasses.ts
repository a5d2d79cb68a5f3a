import type { IncomingMessage } from "node:http"
import { nodeHttp } from "@sitewire/runtime"
import type { Express } from "express"

export type MessageClasses = ReturnType<typeof createMessageClasses>

/**
 * Request and response classes whose prototypes already are `app.request` and `app.response`. With Node's own
 * classes, Express sets the prototype of each request and response, which costs 5 % of a busy gateway's time.
 */
export function createMessageClasses(app: Express) {
  class ExpressRequest extends nodeHttp.IncomingMessage {}
  class ExpressResponse<R extends IncomingMessage> extends nodeHttp.ServerResponse<R> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request)
  Object.setPrototypeOf(ExpressResponse.prototype, app.response)
  app.request = ExpressRequest.prototype as typeof app.request
  app.response = ExpressResponse.prototype as typeof app.response
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }
}
