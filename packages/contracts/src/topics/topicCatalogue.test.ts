import { expect, test } from "vitest"
import { parseDuration } from "../values/duration.ts"
import { defaultRetryDelays, defaultRetryPeriod } from "./retryDefaults.ts"
import { topicCatalogue } from "./topicCatalogue.ts"
import { topicNames } from "./topicNames.ts"

const day = 86_400_000
const settings = {
  prefix: "eu.",
  retryDelaysMs: defaultRetryDelays.map(parseDuration),
  retryPeriodMs: parseDuration(defaultRetryPeriod),
}

test("each retry delay has a topic with broker timestamps, whose records are deleted within a day after the retry period", () => {
  const retry = topicCatalogue(settings).filter(({ name }) => name.includes(".retry."))
  expect(retry.map(({ name }) => name)).toEqual(
    ["1m", "5m", "15m", "1h"].map((delay) => `eu.site.ready.retry.${delay}`),
  )
  for (const topic of retry) {
    expect(topic.retentionMs + topic.segmentMs).toBe(settings.retryPeriodMs + day)
    expect(topic.retentionMs).toBeGreaterThan(settings.retryPeriodMs)
    expect(topic.timestamp).toBe("LogAppendTime")
  }
})

test("the catalogue lists each topic that code publishes to or consumes from exactly once", () => {
  const names = topicNames(settings)
  const { sitePaid, sitePaidInvalid, retry, dead, outcome, connectorTriggered, connectionChanged } = names
  const all = [sitePaid, sitePaidInvalid, ...retry, dead, outcome, connectorTriggered, connectionChanged]
  expect(
    topicCatalogue(settings)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(all.toSorted())
})
