import {
  defaultRetryDelays,
  defaultRetryPeriod,
  formatDuration,
  parseDuration,
  topicCatalogue,
} from "@sitewire/contracts"
import { markdownTable } from "./markdownTable.ts"

export function topicsPage(): string {
  const topics = topicCatalogue({
    prefix: "",
    retryDelaysMs: defaultRetryDelays.map(parseDuration),
    retryPeriodMs: parseDuration(defaultRetryPeriod),
  })
  const table = markdownTable(
    ["topic", "content", "record key", "partitions", "cleanup", "retention", "segment", "time stamp"],
    topics.map(({ name, purpose, key, partitions, cleanup, retentionMs, segmentMs, timestamp }) => [
      `\`${name}\``,
      purpose,
      key,
      String(partitions),
      cleanup,
      cleanup === "compact"
        ? `the newest of each key; tombstones ${formatDuration(retentionMs)}`
        : formatDuration(retentionMs),
      formatDuration(segmentMs),
      timestamp,
    ]),
  )
  return [
    "# Topics",
    "The setup job creates these topics and corrects their settings. The names are those of the default " +
      "`RETRY_DELAYS`; `TOPIC_PREFIX` is put before each of them.",
    table,
    "A record is deleted together with its segment, so it can outlive the retention by the length of a segment. " +
      "`site.paid` and `site.paid.invalid` contain e-mail addresses for that long, whatever `RETENTION` is. " +
      "The other topics contain no personal data; `connection.changed` contains the hosts of sites.",
  ].join("\n\n")
}
