import { readRules } from "@sitewire/testkit/prometheus"
import { expect, test } from "vitest"
import { shortenRules } from "./shortenRules.ts"

test("every duration, age and number of failures of the rules is reduced, and nothing else", async () => {
  const rules = await readRules()
  const short = shortenRules(rules, 120)
  expect(short).not.toMatch(/\[\d+[mhd]\]|for: \d+[mhd]/)
  expect(short).toContain("max by (namespace) (sitewire_site_paid_lag_seconds) > 4\n")
  expect(short).toContain("max by (namespace) (sitewire_oldest_overdue_seconds) > 30\n")
  expect(short).toContain(") > 2.5\n")
  expect(short).toContain('increase(sitewire_triggers_total{outcome="unavailable"}[30s])) > 1\n')
  expect(short).toContain("sum by (namespace) (increase(sitewire_attempts_total[30s])) > 50")
  expect(short.split("\n")).toHaveLength(rules.split("\n").length)
})
