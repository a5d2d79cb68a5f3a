import { expect, test } from "vitest"
import { readPage } from "../page.ts"
import { findUnknownNames, type KnownNames } from "./findUnknownNames.ts"

const known: KnownNames = {
  scripts: new Set(["start", "test", "sitewire"]),
  sitewire: {
    name: "sitewire",
    options: ["--json"],
    subcommands: [
      {
        name: "channel",
        options: [],
        subcommands: [{ name: "create", options: ["--address"], subcommands: [] }],
      },
      { name: "trigger", options: ["--times"], subcommands: [] },
    ],
  },
  metrics: new Map([
    ["sitewire_syncs_total", ["outcome"]],
    ["sitewire_sync_seconds", []],
  ]),
  variables: new Set(["LOG_LEVEL"]),
  files: ["README.md", "docs/guide.md", "packages/kafka/src/log.ts"],
}

const find = (text: string) => findUnknownNames(readPage("docs/page.md", text), known)

test("scripts, paths, variables, metrics and commands that exist pass", () => {
  const text = [
    "`npm start`, `packages/kafka`, `packages/kafka/src/log.ts`, `log.ts`, `guide.md`, `LOG_LEVEL`,",
    '`sitewire_syncs_total{outcome="failed", service="x"}`, sitewire_sync_seconds_bucket,',
    "`sitewire channel create --address URL --json`, `sitewire channel`, `sitewire trigger CONNECTION`",
    "```sh",
    "LOG_LEVEL=debug npm run --silent sitewire -- channel create \\",
    '  --address "https://a.example/x;y" | node -e "…"',
    "```",
  ].join("\n")
  expect(find(text)).toEqual([])
})

test("what only resembles a path, a command or a variable passes", () => {
  const text = [
    "`application/json`, `packages/*/src`, `packages/<name>`, `deploy`, `NULL`, `docs/$NAME/x`",
    "```sh",
    "kubectl -n sitewire get pods",
    "TRIGGER_URL=https://bakery.example",
    'curl -X POST "$TRIGGER_URL"',
    "```",
    "```js",
    "const secret = process.env.MY_SECRET",
    "```",
  ].join("\n")
  expect(find(text)).toEqual([])
})

test.each([
  ["`npm run nothing`", "docs/page.md:1: no package.json has a script nothing"],
  ["\n`packages/none/x.ts`", "docs/page.md:2: there is no file or folder packages/none/x.ts"],
  ["`absent.ts`", "docs/page.md:1: there is no file or folder absent.ts"],
  ["`LOG_LEVELS`", "docs/page.md:1: no process reads a variable LOG_LEVELS"],
  ["```sh\nLOG_LEVELS=debug npm start\n```", "docs/page.md:2: no process reads a variable LOG_LEVELS"],
  ["sitewire_none_total", "docs/page.md:1: no process has a metric sitewire_none_total"],
  ["`sitewire_syncs_total{kind}`", "docs/page.md:1: the metric sitewire_syncs_total has no label kind"],
  ["`sitewire channels list`", "docs/page.md:1: there is no command sitewire channels"],
  ["`sitewire channel remove ID`", "docs/page.md:1: there is no command sitewire channel remove"],
  ["`sitewire trigger ID --often`", "docs/page.md:1: sitewire trigger has no option --often"],
  [
    "```sh\ntrue\nsitewire channel create \\\n  --adress URL\n```",
    "docs/page.md:3: sitewire channel create has no option --adress",
  ],
])("%j fails", (text, problem) => {
  expect(find(text)).toEqual([problem])
})
