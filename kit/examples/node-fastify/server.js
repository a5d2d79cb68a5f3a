import { fastifyPlugin } from "@sitewire/signing/fastify"
import fastify from "fastify"

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

const app = fastify()
// Throws if a secret is empty, so that the application does not start.
app.register(fastifyPlugin(secrets, store, { scheme }), { prefix: "/webhook" })
// Only for the tests of this example.
app.get("/sites", () => [...sites.values()])
await app.listen({ port: Number(process.env.PORT) })
