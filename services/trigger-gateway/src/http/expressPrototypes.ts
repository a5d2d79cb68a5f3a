import type { IncomingMessage } from "node:http"
import { nodeHttp } from "@sitewire/runtime"
import type { Express } from "express"

export type Messages = ReturnType<typeof expressMessages>

/**
 * Classes for `createServer` whose prototypes are the app's own. Express gives each request and each answer these
 * prototypes as they come in, and to change that of an object that is in use costs a twentieth of a busy gateway's time
 * and slows down what looks at it afterwards; those that have it from the start are left as they are.
 */
export function expressMessages(app: Express) {
  class ExpressRequest extends nodeHttp.IncomingMessage {}
  class ExpressResponse<R extends IncomingMessage> extends nodeHttp.ServerResponse<R> {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request)
  Object.setPrototypeOf(ExpressResponse.prototype, app.response)
  app.request = ExpressRequest.prototype as typeof app.request
  app.response = ExpressResponse.prototype as typeof app.response
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse }
}
