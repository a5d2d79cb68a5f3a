import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { findChromium } from "@sitewire/installation"
import { dashboards } from "../dashboards.ts"
import { type Period, renderDashboard } from "./renderDashboard.ts"

const run = promisify(execFile)

/** Writes an image of each dashboard to `folder`. Returns the queries that returned no data. */
export async function saveImages(prometheus: string, folder: string, period: Period): Promise<string[]> {
  const chromium = findChromium(process.env)
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(tmpdir(), "sitewire-dashboards-"))
  const withoutData: string[] = []
  try {
    for (const dashboard of dashboards) {
      const { html, width, height, ...rendered } = await renderDashboard(prometheus, dashboard, period)
      withoutData.push(...rendered.withoutData)
      const page = join(work, `${dashboard.id}.html`)
      await writeFile(page, html)
      await run(chromium, [
        ...["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"],
        ...[`--user-data-dir=${join(work, "profile")}`, `--window-size=${width},${height}`],
        `--screenshot=${join(folder, `${dashboard.id}.png`)}`,
        pathToFileURL(page).href,
      ]).catch((error: Error) => {
        throw new Error(`${chromium} could not render ${dashboard.id}: ${error.message}`)
      })
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return withoutData
}

/** The last `minutes`, in about 400 steps. */
export function lastMinutes(minutes: number, scrapeSeconds: number): Period {
  const to = new Date()
  const stepSeconds = Math.max(scrapeSeconds, Math.ceil((minutes * 60) / 400))
  const rateSeconds = Math.max(4 * scrapeSeconds, stepSeconds)
  return { from: new Date(to.getTime() - minutes * 60_000), to, stepSeconds, rateSeconds }
}
