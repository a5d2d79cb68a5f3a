import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { runScript } from "@sitewire/installation"
import { openBrowser } from "@sitewire/web/browser"
import { fill } from "@sitewire/web/data"
import type { BrowserContextOptions } from "playwright-core"
import { build } from "vite"
import type { BenchOptions } from "../benchOptions.ts"
import type { Installation } from "../installation/startBenchInstallation.ts"
import { judge, type Measure, percentile } from "../measure/measure.ts"
import { startBareReact } from "./startBareReact.ts"

const webFolder = fileURLToPath(new URL("../../../web", import.meta.url))
const pairs = 15
const target = { kind: "value-at-most", bound: 1_000, unit: "ms" } as const
const sides = ["value", "baseline"] as const
type Side = (typeof sides)[number]
/** The browser and the console are idle for so long before each view. */
const quietMs = 1_500

type View = { shownAtMs: number; cpuMs: number; files: number; kB: number }

/**
 * Measures the first view of the overview by an operator who is signed in, with an empty cache, until the problems are
 * shown. A page that consists of React and one paragraph, in the same browser, shows how much of it is the machine's.
 */
export async function measureFirstView(it: Installation, { progress }: BenchOptions): Promise<Measure[]> {
  await build({ root: webFolder, logLevel: "warn" })
  await fill(it.installation, 0)
  const web = await it.start("console", { API_REQUESTS_PER_MINUTE: "1000000" })
  const origin = web.addresses.console ?? ""
  const bare = await startBareReact()
  const browser = await openBrowser()
  const session = await signIn(origin, await createKey(it.installation.databaseUrl))
  const pages: Record<
    Side,
    { name: string; url: string; text: string; storageState?: BrowserContextOptions["storageState"] }
  > = {
    value: {
      name: "the overview",
      url: `${origin}/`,
      text: "Channel globex is failing",
      storageState: session,
    },
    baseline: { name: "React alone", url: `${bare.origin}/`, text: "Nothing but React" },
  }

  async function view(side: Side): Promise<View> {
    const { url, text, storageState } = pages[side]
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
        (performance.getEntriesByType("resource") as PerformanceResourceTiming[]).map(
          (of) => of.transferSize,
        ),
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

  const shownAt: Record<Side, number[]> = { value: [], baseline: [] }
  try {
    // The first views are slower: processes start, and the console's code is compiled.
    for (const side of sides) await view(side)
    for (let pair = 1; pair <= pairs; pair++) {
      for (const side of pair % 2 === 0 ? sides : sides.toReversed()) {
        const { shownAtMs, cpuMs, files, kB } = await view(side)
        shownAt[side].push(shownAtMs)
        const cost = `${cpuMs.toFixed(0)} ms of the page's main thread, ${files} files, ${kB.toFixed(0)} kB`
        progress(`pair ${pair} of ${pairs}: ${pages[side].name} after ${shownAtMs.toFixed(0)} ms, ${cost}`)
      }
    }
    const alone = shownAt.baseline
    const details = `React alone: ${median(alone).toFixed(0)} ms; slowest overview: ${Math.max(...shownAt.value).toFixed(0)} ms`
    progress(details)
    const name = "ms until the overview shows the problems, empty cache"
    return [{ ...judge(name, median(shownAt.value), null, target), details }]
  } finally {
    await browser.close()
    await bare.stop()
    await web.end()
  }
}

async function createKey(databaseUrl: string): Promise<string> {
  const args = ["--name", "bench", "--scopes", "operate"]
  const printed = await runScript("packages/console/src/tools/createKey.ts", args, {
    DATABASE_URL: databaseUrl,
  })
  return printed.trim()
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

/** Runs in the page: notes when the text was first part of it, in milliseconds since the navigation began. */
function noteWhenShown(text: string) {
  new MutationObserver((_, observer) => {
    if (!document.body?.textContent?.includes(text)) return
    observer.disconnect()
    // After the frame that shows it.
    requestAnimationFrame(() =>
      setTimeout(() => {
        ;(window as { shownAt?: number }).shownAt = performance.now()
      }),
    )
  }).observe(document, { childList: true, subtree: true, characterData: true })
}

const median = (values: readonly number[]) => percentile(values, 0.5)
