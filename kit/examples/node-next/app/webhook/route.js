import { fetchHandler } from "@sitewire/signing"
import { readSecrets } from "../../lib/secrets.js"
import { sites } from "../../lib/sites.js"

// A function, because `next build` loads this module without the secrets. See instrumentation.js.
export const POST = fetchHandler(
  readSecrets,
  (event) => sites.set(event.site_url, { site_url: event.site_url, name: event.name }),
  { scheme: process.env.SITEWIRE_SCHEME ?? "sitewire" },
)
