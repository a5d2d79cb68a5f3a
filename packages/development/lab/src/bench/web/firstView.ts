import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { openBrowser } from "@sitewire/web/browser"
import { fill } from "@sitewire/web/data"
import type { Browser, BrowserContextOptions } from "playwright-core"
import { build, preview } from "vite"
import { percentile } from "../../shared/percentile.ts"
import { atMost, type Measure } from "../measure.ts"
import type { Side } from "../measureInPairs.ts"
import type { Bench } from "../startBench.ts"

const pairs = 15
const sides = ["value", "baseline"] as const
/** The browser and the console are idle for so long before each view. */
const quietMs = 1_500

type Page = {
  name: string
  url: string
  text: string
  storageState?: BrowserContextOptions["storageState"]
}
/** `files` and `kB`: of the page's own files, without its HTML and the responses of the API. */
type View = { shownAtMs: number; cpuMs: number; files: number; kB: number }

/**
 * Measures the first view of the overview by an operator who is signed in, with an empty cache, until all problems are
 * shown. A page that consists of React and one paragraph, in the same browser, shows how much of it is the machine's.
 */
export async function measureFirstView(it: Bench): Promise<Measure[]> {
  await build({ root: join(it.checkout.root, "packages/web"), logLevel: "warn" })
  await fill(it, 0)
  const cleanUps: (() => Promise<unknown>)[] = []
  const views: Record<Side, View[]> = { value: [], baseline: [] }
  try {
    const web = await it.start("console", { API_REQUESTS_PER_MINUTE: "1000000" })
    const bare = await startBareReact()
    cleanUps.push(bare.stop)
    const browser = await openBrowser()
    cleanUps.push(() => browser.close())
    const origin = web.addresses.console ?? ""
    const pages: Record<Side, Page> = {
      value: {
        name: "the overview",
        url: `${origin}/`,
        text: "Channel globex is failing",
        storageState: await signIn(origin, await it.apiKey("operate")),
      },
      baseline: { name: "React alone", url: bare.origin, text: "Nothing but React" },
    }
    // The first views are slower: processes start, and the console's code is compiled.
    for (const side of sides) await view(browser, pages[side])
    for (let pair = 1; pair <= pairs; pair++) {
      for (const side of pair % 2 === 0 ? sides : sides.toReversed()) {
        const of = await view(browser, pages[side])
        views[side].push(of)
        it.progress(`pair ${pair} of ${pairs}: ${pages[side].name} ${describeView(of)}`)
      }
    }
  } finally {
    await Promise.all(cleanUps.map((cleanUp) => cleanUp()))
  }
  const shown = medians(views.value)
  const details = `medians: the overview ${describeView(shown)}; React alone ${describeView(medians(views.baseline))}`
  it.progress(details)
  const name = "ms until the overview shows all problems, empty cache"
  return [{ ...atMost(name, shown.shownAtMs, 1_000, "ms"), details }]
}

async function view(browser: Browser, { url, text, storageState }: Page): Promise<View> {
  const context = await browser.newContext({
    viewport: { width: 1_440, height: 900 },
    ...(storageState && { storageState }),
  })
  try {
    const page = await context.newPage()
    await page.addInitScript(noteWhenShown, text)
    const client = await context.newCDPSession(page)
    await client.send("Performance.enable")
    await sleep(quietMs)
    await page.goto(url, { waitUntil: "commit" })
    const shown = await page.waitForFunction(() => (window as { shownAt?: number }).shownAt, undefined, {
      polling: 100,
    })
    const { metrics } = await client.send("Performance.getMetrics")
    const sizes = await page.evaluate(() =>
      (performance.getEntriesByType("resource") as PerformanceResourceTiming[])
        .filter((of) => new URL(of.name).pathname.startsWith("/assets/"))
        .map((of) => of.transferSize),
    )
    return {
      shownAtMs: (await shown.jsonValue()) ?? Number.NaN,
      cpuMs: 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN),
      files: sizes.length,
      kB: sizes.reduce((sum, size) => sum + size, 0) / 1_000,
    }
  } finally {
    await context.close()
  }
}

function medians(views: readonly View[]): View {
  const of = (values: number[]) => percentile(values, 0.5)
  const [shownAtMs, cpuMs] = [of(views.map((view) => view.shownAtMs)), of(views.map((view) => view.cpuMs))]
  return { shownAtMs, cpuMs, files: of(views.map(({ files }) => files)), kB: of(views.map(({ kB }) => kB)) }
}

function describeView({ shownAtMs, cpuMs, files, kB }: View): string {
  const size = `${files} files of its own with ${kB.toFixed(0)} kB`
  return `after ${shownAtMs.toFixed(0)} ms, ${cpuMs.toFixed(0)} ms of the page's main thread, ${size}`
}

/** Serves a page that consists of React and one paragraph, built as the web console is. */
async function startBareReact() {
  const outDir = await mkdtemp(join(tmpdir(), "sitewire-bare-react-"))
  const root = fileURLToPath(new URL("bareReact", import.meta.url))
  const options = { root, configFile: false, logLevel: "warn", build: { outDir, emptyOutDir: true } } as const
  await build(options)
  const server = await preview({ ...options, preview: { host: "127.0.0.1", port: 0 } })
  const stop = async () => {
    await server.close()
    await rm(outDir, { recursive: true, force: true })
  }
  return { origin: server.resolvedUrls?.local[0] ?? "", stop }
}

async function signIn(origin: string, key: string) {
  const response = await fetch(`${origin}/session`, {
    method: "POST",
    headers: { "content-type": "application/json", origin },
    body: JSON.stringify({ key }),
  })
  const [name = "", value = ""] = (response.headers.get("set-cookie") ?? "").split(";")[0]?.split("=") ?? []
  if (!response.ok || value === "") throw new Error(`no session: ${response.status} ${await response.text()}`)
  const cookie = { name, value, domain: "127.0.0.1", path: "/", expires: -1, secure: false }
  return { cookies: [{ ...cookie, httpOnly: true, sameSite: "Strict" as const }], origins: [] }
}

/**
 * Runs in the page: notes, in milliseconds since the navigation began, when the text was shown and no problems were
 * loading.
 */
function noteWhenShown(text: string) {
  const unfinished = "section[aria-label='Current problems'] [role=status]"
  new MutationObserver((_, observer) => {
    if (!document.body?.textContent?.includes(text) || document.querySelector(unfinished)) return
    observer.disconnect()
    // After the frame that shows it.
    requestAnimationFrame(() =>
      setTimeout(() => {
        ;(window as { shownAt?: number }).shownAt = performance.now()
      }),
    )
  }).observe(document, { childList: true, subtree: true, characterData: true })
}
