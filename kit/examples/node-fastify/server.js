import { fastifyPlugin } from "@sitewire/signing/fastify"
import fastify from "fastify"

// One secret, or the old and the new one, separated by a comma.
const secrets = (process.env.SITEWIRE_SECRETS ?? "").split(",")
const scheme = process.env.SITEWIRE_SCHEME ?? "sitewire"

// In an application, a table. The key is site_url: a repetition changes nothing, a correction replaces.
const sites = new Map()
const store = (event) => sites.set(event.site_url, { site_url: event.site_url, name: event.name })

const app = fastify()
// Throws if a secret is empty, so that the application does not start.
app.register(fastifyPlugin(secrets, store, { scheme }), { prefix: "/webhook" })
// Only for the tests of this example.
app.get("/sites", () => [...sites.values()])
await app.listen({ port: Number(process.env.PORT) })
