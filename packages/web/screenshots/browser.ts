import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { findChromium } from "@sitewire/testkit/installation"
import { type Browser, chromium, type Page } from "playwright-core"

export function openBrowser(): Promise<Browser> {
  const args = ["--no-sandbox", "--disable-gpu"]
  return chromium.launch({ executablePath: findChromium(process.env), args })
}

export type View = { width: number; height: number; scheme: "light" | "dark" }

/** A page that is signed in by the link, if there is one. `complaints` gets every error, and every violation of the page's policy. */
export async function openPage(browser: Browser, link: string | null, view: View) {
  const context = await browser.newContext({
    viewport: { width: view.width, height: view.height },
    colorScheme: view.scheme,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
  })
  // Only ends what hangs: the machine may be busy.
  context.setDefaultTimeout(90_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on("pageerror", (error) => complaints.push(String(error)))
  page.on("console", (message) => {
    // Chromium reports each response of 4xx, which pages expect.
    if (message.type() === "error" && !/^Failed to load resource/.test(message.text()))
      complaints.push(message.text())
  })
  if (link !== null) {
    await signIn(page, link)
  }
  return { page, complaints, close: () => context.close() }
}

/** Also waits until the page has left the sign-in by itself, which would abort a navigation of the caller. */
export async function signIn(page: Page, link: string): Promise<void> {
  await visit(page, link)
  await page.getByRole("button", { name: /^Sign in as / }).click()
  await page.waitForURL(({ pathname }) => pathname !== "/sign-in")
  await page.waitForSelector("nav", { state: "attached" })
}

/**
 * Opens the URL. While the machine's networks change, as when a container starts, Chromium aborts each navigation with
 * ERR_NETWORK_CHANGED, and repeats it for a user a moment later. It does not do so for a program.
 */
export async function visit(page: Page, url: string): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await page.goto(url)
      return
    } catch (error) {
      const isRepeated = /net::ERR_NETWORK_CHANGED|chrome-error:\/\/chromewebdata/.test(String(error))
      if (tries === 10 || !isRepeated) throw error
    }
  }
}

/**
 * Waits until the page has read everything that it shows, and each style sheet that it has begun to load: axe would fetch
 * an unreadable sheet and insert its text, which the page's policy reports.
 */
export async function settle(page: Page): Promise<void> {
  await page.waitForLoadState("domcontentloaded")
  await page.waitForFunction(() => {
    const readable = ({ sheet }: HTMLLinkElement) => {
      try {
        return Boolean(sheet?.cssRules)
      } catch {
        return false
      }
    }
    return (
      document.querySelector("main h1, main strong") !== null &&
      !document.querySelector("[role=status][aria-label]") &&
      [...document.querySelectorAll<HTMLLinkElement>("link[rel=stylesheet]")].every(readable)
    )
  })
  // Two frames: observers of sizes have then been called.
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}

const require = createRequire(import.meta.url)

const wcag22AA = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

/** What axe finds on the page: by these rules, or by all of WCAG 2.2 AA. */
export async function runAxe(page: Page, rules?: readonly string[]): Promise<string[]> {
  await page.evaluate(await readFile(require.resolve("axe-core/axe.min.js"), "utf8"))
  const runOnly = rules ? { type: "rule", values: [...rules] } : { type: "tag", values: wcag22AA }
  return page.evaluate(async (runOnly) => {
    // @ts-expect-error the script has defined it
    const { violations } = await window.axe.run(document, { runOnly })
    return violations.flatMap(
      ({ id, nodes }: { id: string; nodes: { html: string; failureSummary?: string }[] }) =>
        nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 160)} ${failureSummary ?? ""}`),
    )
  }, runOnly)
}
