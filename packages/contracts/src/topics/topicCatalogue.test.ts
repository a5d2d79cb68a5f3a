import { expect, test } from "vitest"
import { formatDuration, parseDuration } from "../values/duration.ts"
import { defaultRetryDelays, defaultRetryPeriod, topicCatalogue, topicNames } from "./topicCatalogue.ts"

const day = 86_400_000
const settings = {
  prefix: "eu.",
  retryDelaysMs: defaultRetryDelays.map(parseDuration),
  retryPeriodMs: parseDuration(defaultRetryPeriod),
}

test("each delay has a topic whose records are gone a day after the retry period, and not before it, stamped by the broker", () => {
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

test("the catalogue holds every name that code publishes to or reads from, once", () => {
  const names = topicNames(settings)
  const all = [names.sitePaid, names.sitePaidInvalid, ...names.retry, names.dead, names.connectorTriggered]
  expect(
    topicCatalogue(settings)
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(all.toSorted())
})

test.each(["500ms", "2s", "90s", "1m", "15m", "1h", "36h", "7d"])(
  "the duration %s survives being read and written",
  (text) => {
    expect(parseDuration(formatDuration(parseDuration(text)))).toBe(parseDuration(text))
  },
)
