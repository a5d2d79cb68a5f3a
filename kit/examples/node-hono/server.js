import { serve } from "@hono/node-server"
import { fetchHandler } from "@sitewire/signing"
import { Hono } from "hono"

// One secret, or the old and the new one, separated by a comma.
const secrets = (process.env.SITEWIRE_SECRETS ?? "").split(",")
const scheme = process.env.SITEWIRE_SCHEME ?? "sitewire"

// In an application, a table. The key is site_url: a repetition changes nothing, and a correction replaces. A late retry of what was
// corrected has a smaller delivery id, and is ignored.
const sites = new Map()
function store({ site_url, name, delivery }) {
  if (delivery < (sites.get(site_url)?.delivery ?? "")) return
  sites.set(site_url, { site_url, name, delivery })
}

// Throws if a secret is empty, so that the application does not start.
const webhook = fetchHandler(secrets, store, { scheme })

const app = new Hono()
app.post("/webhook", (context) => webhook(context.req.raw))
// Only for the tests of this example.
app.get("/sites", (context) => context.json([...sites.values()]))
serve({ fetch: app.fetch, port: Number(process.env.PORT) })
