import { readReference } from "@sitewire/cli/reference"
import { expect, test } from "vitest"
import type { OwnedLogEvent } from "./logs/readLogEvents.ts"
import { readHelp } from "./readHelp.ts"
import type { ProcessVariables } from "./readProcesses.ts"
import { referencePages } from "./referencePages.ts"

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
const metrics = [{ owner: "one", name: "sitewire_x", type: "gauge" as const, help: "X.", labels: ["kind"] }]
const logs: OwnedLogEvent[] = [
  { levels: ["info", "debug"], message: "done", fields: ["ms"], source: "services/a/src/b.ts", owner: "a" },
]
const pages = referencePages({
  processes,
  metrics,
  logs,
  help: readHelp(),
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
