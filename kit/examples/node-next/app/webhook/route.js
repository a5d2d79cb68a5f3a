import { fetchHandler } from "@sitewire/signing"
import { readSecrets } from "../../lib/secrets.js"
import { store } from "../../lib/sites.js"

// A function, because `next build` loads this module without the secrets. See instrumentation.js.
export const POST = fetchHandler(readSecrets, store, { scheme: process.env.SITEWIRE_SCHEME ?? "sitewire" })
