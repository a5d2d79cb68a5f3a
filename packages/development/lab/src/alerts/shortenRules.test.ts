import { readFile } from "node:fs/promises"
import { rulesFile } from "@sitewire/testkit/prometheus"
import { expect, test } from "vitest"
import { shortenRules } from "./shortenRules.ts"

test("every duration and age of the rules is shortened, and nothing else", async () => {
  const rules = await readFile(rulesFile, "utf8")
  const short = shortenRules(rules, 120)
  expect(short).not.toMatch(/\[\d+[mhd]\]|for: \d+[mhd]/)
  expect(short).toContain("max(sitewire_site_paid_lag_seconds) > 4\n")
  expect(short).toContain("max(sitewire_oldest_overdue_seconds) > 30\n")
  expect(short).toContain(") > 2.5\n")
  expect(short).toContain("sum(increase(sitewire_attempts_total[30s])) > 50")
  expect(short.split("\n")).toHaveLength(rules.split("\n").length)
})
