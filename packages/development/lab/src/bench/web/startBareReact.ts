import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { build } from "vite"

const types: Record<string, string> = { ".html": "text/html; charset=utf-8", ".js": "text/javascript" }

/** Serves a page that consists of React and one paragraph, built as the web console is. */
export async function startBareReact() {
  const folder = await mkdtemp(join(tmpdir(), "sitewire-bare-react-"))
  const root = fileURLToPath(new URL("bareReact", import.meta.url))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  try {
    await build({ root, configFile: false, logLevel: "warn", build: { outDir: folder, emptyOutDir: true } })
  } catch (error) {
    await removeFolder()
    throw error
  }
  const server = createServer(async ({ url }, response) => {
    const path = url === "/" ? "/index.html" : (url ?? "")
    const content = await readFile(join(folder, path)).catch(() => null)
    if (content === null) response.writeHead(404).end()
    else response.writeHead(200, { "content-type": types[extname(path)] ?? "" }).end(content)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      server.close()
      await removeFolder()
    },
  }
}
