import { sourceRequestText } from "../sourceRequestText.ts"
import { standardWebhooksHeaders } from "./standardWebhooks.ts"

/**
 * The headers of Standard Webhooks for a request without a body, such as the GET of a data source.
 * `url`: the whole URL, as it is requested. Parameters and errors otherwise as of `standardWebhooksHeaders`.
 */
export function sourceRequestHeaders({
  id,
  timestamp,
  method,
  url,
  secrets,
}: {
  id: string
  timestamp: number
  method: string
  url: string
  secrets: readonly string[]
}): ReturnType<typeof standardWebhooksHeaders> {
  return standardWebhooksHeaders({ id, timestamp, body: sourceRequestText(method, url), secrets })
}
