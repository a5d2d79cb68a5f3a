import { expect, test } from "vitest"
import { readHelp } from "./readHelp.ts"
import type { ProcessVariables } from "./readProcesses.ts"
import { readReference } from "./readReference.ts"
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
const pages = referencePages({
  processes,
  metrics,
  help: readHelp(),
  reference: readReference(),
})

test("a variable that several processes read is listed once, and others at their process", () => {
  const page = pages.get("docs/reference/configuration.md")
  expect(page).toContain("| `SHARED` | `info` | Shared. | all |")
  expect(page).toContain("| `OWN` | required | Only \\| one's. **Secret.** |")
  expect(page?.match(/`SHARED`/g)).toHaveLength(1)
})

test("topics, metrics and commands are listed with what the code says of them", () => {
  expect(pages.get("docs/reference/topics.md")).toContain("| `site.paid` |")
  expect(pages.get("docs/reference/metrics.md")).toContain("| `sitewire_x` | gauge | `kind` | X. |")
  const commands = pages.get("docs/reference/cli.md")
  expect(commands).toContain("## sitewire channel create\n")
  expect(commands).toContain("Usage: sitewire channel create")
})

test("each command has its JSON type", () => {
  const page = pages.get("docs/reference/cli.md") ?? ""
  expect(page).toContain("`--json`:\n\n```ts\nApiKeyPage\n```")
  expect(page).toContain("type ApiKeyPage = { data: ApiKey[], next_cursor: string | null }\n")
  expect(page).toContain("type ApiKey = {\n  id: string\n  name: string\n  scopes: string[]\n")
  expect(page).not.toContain("## sitewire publish")
})
