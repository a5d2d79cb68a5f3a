import { createServer } from "node:http"
import { expressHandler } from "@sitewire/signing/express"

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
const webhook = expressHandler(secrets, store, { scheme })

const server = createServer((request, response) => {
  if (request.method === "POST" && request.url === "/webhook") {
    return webhook(request, response, (error) => {
      console.error(error)
      response.writeHead(500).end()
    })
  }
  // Only for the tests of this example.
  if (request.url === "/sites") return response.end(JSON.stringify([...sites.values()]))
  response.writeHead(404).end()
})
server.listen(process.env.PORT)
