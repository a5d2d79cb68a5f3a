import { fileURLToPath } from "node:url"
import { createServer } from "vite"
import { setup } from "../../../development/testkit/src/globalSetup.ts"
import { servePages } from "./fixtures/servePages.ts"

/** Vite's server on a console with realistic data, for work on the page. */
const stopServers = await setup()
const filled = await servePages({})
const vite = await createServer({
  root: fileURLToPath(new URL("..", import.meta.url)),
  server: {
    host: "127.0.0.1",
    port: 8_090,
    strictPort: true,
    // The Host header is passed on unchanged, so that the console accepts the page's requests.
    proxy: { "^/(v1|session|openapi.json)": { target: filled.origin, changeOrigin: false } },
  },
})
await vite.listen()
for (const [name, scopes] of [
  ["operator", "operate,personal-data,admin"],
  ["reader", "read"],
  ["partner", "channel:acme"],
  ["site owner", "site:bakery.example"],
] as const) {
  const link = await filled.createLink(await filled.createKey(name, scopes), "http://127.0.0.1:8090")
  process.stdout.write(`${name}: ${link}\n`)
}
process.once("SIGINT", async () => {
  await vite.close()
  await filled.close()
  await stopServers()
  process.exit(0)
})
