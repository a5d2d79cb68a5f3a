import { resolve } from "node:path"
import { readArguments } from "@sitewire/runtime"
import { lastMinutes, saveImages } from "./saveImages.ts"

const { values, positionals, explain } = readArguments(
  { minutes: { type: "string" }, scrape: { type: "string" } },
  "npm run dashboards -- [--minutes N] [--scrape SECONDS] URL FOLDER: writes an image of each dashboard, with the last " +
    "N minutes (60) of the Prometheus at URL, which scrapes every SECONDS (5).",
)
const url = positionals[0] ?? explain("Give the URL of a Prometheus, and a folder.")
const folder = positionals[1] ?? explain("Give a folder for the images, too.")
const [minutes, scrape] = [Number(values.minutes ?? 60), Number(values.scrape ?? 5)]
if (!(minutes > 0 && scrape > 0)) explain("--minutes and --scrape are above 0.")
const withoutData = await saveImages(url, resolve(folder), lastMinutes(minutes, scrape))
console.log(`The images are in ${resolve(folder)}`)
for (const expr of withoutData) console.log(`no data: ${expr}`)
