// A partner's receiver and source to try deliveries and syncs with: prints each request. compose.yaml runs it.
import { createServer } from "node:http"

createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString()
  console.log(request.method, request.url, request.headers["x-sitewire-signature"] ?? "", body)
  response.writeHead(204).end()
}).listen(4000)
process.on("SIGTERM", () => process.exit(0))
