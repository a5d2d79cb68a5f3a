import { readReference } from "@sitewire/cli/reference"
import { expect, test } from "vitest"
import type { ProcessLogEvent } from "./logs/readProcessLogs.ts"
import { readCommands } from "./readCommands.ts"
import type { ProcessVariables } from "./readProcesses.ts"
import { findOutdated, referencePages } from "./referencePages.ts"

const shared = { description: "Shared.", fallback: "info", required: false, secret: false }
const processes: ProcessVariables[] = [
  {
    name: "one",
    main: "one/main.ts",
    variables: [
      { name: "SHARED", ...shared },
      { name: "OWN", description: "Only | one's.", fallback: null, required: true, secret: true },
    ],
  },
  { name: "two", main: "two/main.ts", variables: [{ name: "SHARED", ...shared }] },
]
const metrics = [
  { name: "one", metrics: [{ name: "sitewire_x", type: "gauge", help: "X.", labels: ["kind"] } as const] },
].map(({ name, metrics }) => ({
  name,
  metrics: metrics.map((metric) => ({ ...metric, labels: [...metric.labels] })),
}))
const logs: ProcessLogEvent[] = [
  {
    levels: ["info", "debug"],
    message: "done",
    fields: ["ms"],
    source: "services/a/src/b.ts",
    processes: ["a"],
  },
]
const pages = referencePages({
  processes,
  metrics,
  logs,
  sitewire: readCommands(),
  reference: readReference(),
})

test("a variable that several processes read is listed once, and others at their process", () => {
  const page = pages.get("docs/reference/configuration.md")
  expect(page).toContain("| `SHARED` | `info` | Shared. | all |")
  expect(page).toContain("| `OWN` | required | Only \\| one's. **Secret.** |")
  expect(page?.match(/`SHARED`/g)).toHaveLength(1)
})

test("topics, metrics, log events and commands are listed with what the code says of them", () => {
  expect(pages.get("docs/reference/topics.md")).toContain("| `site.paid` |")
  expect(pages.get("docs/reference/metrics.md")).toContain("| `sitewire_x` | gauge | `kind` | X. |")
  const row = "| info, debug | done | `ms` | [b.ts](../../services/a/src/b.ts) |"
  expect(pages.get("docs/reference/logs.md")).toContain(row)
  const commands = pages.get("docs/reference/cli.md")
  expect(commands).toContain("## sitewire channel create\n")
  expect(commands).toContain("Usage: sitewire channel create")
})

test("each command has its JSON type, and the manual page describes the same commands", () => {
  const page = pages.get("docs/reference/cli.md") ?? ""
  expect(page).toContain("`--json`:\n\n```ts\n{ data: ApiKey[], next_cursor: string | null }\n```")
  expect(page).toContain("type ApiKey = {\n  id: string\n  name: string\n  scopes: string[]\n")
  expect(page).not.toContain("## sitewire publish")
  const manual = pages.get("docs/reference/sitewire.1") ?? ""
  for (const [, path = ""] of page.matchAll(/^## (sitewire .+)$/gm)) {
    expect(manual).toContain(`.SS ${path.replaceAll("-", "\\-")}`)
  }
  // Lines that begin with a dot are requests to troff.
  const requests = manual.split("\n").filter((line) => /^[.']/.test(line))
  for (const line of requests) expect(line).toMatch(/^\.(\\"|TH|SH|SS|TP|PP|B|I|nf|fi)( |$)/)
})

test("a page that differs from the code, or is missing, is reported with what to do", () => {
  const texts = new Map(pages)
  expect(findOutdated(pages, texts)).toEqual([])
  texts.set("docs/reference/topics.md", "old\n")
  texts.delete("docs/reference/cli.md")
  expect(findOutdated(pages, texts)).toEqual([
    "docs/reference/topics.md is out of date: run npm run docs",
    "docs/reference/cli.md is out of date: run npm run docs",
  ])
})
