import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { openBrowser, sendPath } from "../../test/fixtures/browser.ts"
import { startConsole, type TestConsole } from "../../test/fixtures/startConsole.ts"

const script = `console.log(${JSON.stringify("long ".repeat(1_000))})`
const files = {
  "build/index.html": `<!doctype html><script nonce="__CSP_NONCE__" src="/assets/app-1a2b.js"></script><style nonce="__CSP_NONCE__"></style>`,
  "build/assets/app-1a2b.js": script,
  "build/favicon.svg": "<svg/>",
  "build/.hidden": "hidden",
  "secret.txt": "outside of the folder",
}

let folder: string
let console: TestConsole
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sitewire-page-"))
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), text)
  }
  console = await startConsole({ pageFolder: join(folder, "build") })
})
afterAll(async () => {
  await console.close()
  await rm(folder, { recursive: true })
})

const html = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const open = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  openBrowser(console.origin).open(method, path, { headers })

test("the page contains the nonce of its policy, which differs in each response and allows nothing inline", async () => {
  const nonces = new Set<string>()
  for (const path of ["/", "/deliveries/some-id?filter=1", "/sign-in"]) {
    const page = await open(path, html)
    expect(page.status).toBe(200)
    const policy = page.headers.get("content-security-policy") ?? ""
    const [, nonce = ""] = /'nonce-([^']+)'/.exec(policy) ?? []
    expect(Buffer.from(nonce, "base64url").length).toBeGreaterThanOrEqual(16)
    expect(policy).toBe(
      `default-src 'none'; script-src 'self' 'nonce-${nonce}'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'`,
    )
    expect(page.text).toBe(files["build/index.html"].replaceAll("__CSP_NONCE__", nonce))
    nonces.add(nonce)
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "cache-control": "no-store",
      "content-type": "text/html; charset=utf-8",
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": expect.stringContaining("camera=()"),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "x-frame-options": "DENY",
      vary: expect.stringMatching(/^Accept(,|$)/),
    })
    expect(page.headers.has("strict-transport-security")).toBe(false)
  }
  expect(nonces.size).toBe(3)
  expect(await open("/", html, "HEAD")).toMatchObject({ status: 200, text: "" })
})

test("files that are named by their content are stored for a year, others are revalidated", async () => {
  const asset = await open("/assets/app-1a2b.js", { accept: "*/*" })
  expect(asset).toMatchObject({ status: 200, text: script })
  expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
  expect(asset.headers.get("content-type")).toBe("text/javascript; charset=utf-8")
  expect(asset.headers.get("x-content-type-options")).toBe("nosniff")
  const icon = await open("/favicon.svg")
  expect(icon.headers.get("cache-control")).toBe("no-cache")
  const again = await open("/favicon.svg", { "if-none-match": icon.headers.get("etag") ?? "" })
  expect(again.status).toBe(304)
})

test("files are sent compressed", async () => {
  const { port } = console
  const response = await fetch(`http://127.0.0.1:${port}/assets/app-1a2b.js`, {
    headers: { "accept-encoding": "br" },
  })
  expect(response.headers.get("content-encoding")).toBe("br")
  expect(response.headers.get("vary")).toBe("Accept-Encoding")
  expect(await response.text()).toBe(script)
})

test("what is not a page stays a problem document, and the API stays as it is", async () => {
  for (const [path, headers] of [
    ["/deliveries", { accept: "application/json" }],
    ["/deliveries", { accept: "*/*" }],
    ["/assets/old-3c4d.js", html],
    ["/v1/unknown", html],
    ["/session/unknown", html],
    ["/.hidden", { accept: "*/*" }],
  ] as const) {
    const page = await open(path, headers)
    expect(page, path).toMatchObject({ status: 404, json: { code: "unknown-path" } })
  }
  expect((await open("/deliveries", html, "POST")).status).toBe(404)
  expect((await open("/", { accept: "*/*" })).json).toMatchObject({ api: "/v1" })
  expect((await open("/", html, "POST")).status).toBe(405)
  expect((await open("/openapi.json", html)).json).toMatchObject({ openapi: "3.1.1" })
})

test("no path leads out of the folder", async () => {
  await symlink(join(folder, "secret.txt"), join(folder, "elsewhere"))
  for (const path of [
    "/../secret.txt",
    "/assets/../../secret.txt",
    "/%2e%2e/secret.txt",
    "/..%2fsecret.txt",
    "/assets/..%5c..%5csecret.txt",
    "/%2e%2e%2fsecret.txt%00.js",
    "//etc/passwd",
    "/assets//../../../../etc/passwd",
    "/%zz",
  ]) {
    for (const accept of ["*/*", html.accept]) {
      const page = await sendPath(new URL(console.origin), path, "GET", undefined, { accept })
      expect(page.text, path).not.toMatch(/outside|root:/)
      expect([200, 400, 404], path).toContain(page.status)
      if (page.status === 200) expect(page.headers.get("content-type")).toContain("text/html")
    }
  }
})

test("without a build, the page says how to make one", async () => {
  const none = await startConsole()
  const page = await openBrowser(none.origin).open("GET", "/", { headers: html })
  expect(page.status).toBe(404)
  expect(page.text).toContain("npm run build --workspace @sitewire/web")
  expect(page.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
  expect((await none.call("GET", "/v1/channels")).status).toBe(200)
  await none.close()
})
