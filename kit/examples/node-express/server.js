import { expressHandler } from "@sitewire/signing/express"
import express from "express"

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

const app = express()
// Throws if a secret is empty, so that the application does not start. Put it before every body parser.
app.post("/webhook", expressHandler(secrets, store, { scheme }))
// Only for the tests of this example.
app.get("/sites", (_request, response) => {
  response.json([...sites.values()])
})
app.listen(process.env.PORT)
