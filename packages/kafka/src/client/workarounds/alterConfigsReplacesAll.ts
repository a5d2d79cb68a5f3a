/*
 * Defect of kafkajs 2.2.4: it only knows the request AlterConfigs, which resets every setting of a topic that the request
 * does not name. Effect: settings that an operator has made are lost.
 * Here the topic's present settings are sent along.
 * Delete this file when the client knows IncrementalAlterConfigs, and send only what changes.
 */

/** What `describeConfigs` calls a setting that was made on the topic itself. */
const setOnTopic = 1

type Entry = { configName: string; configValue: string; configSource: number | string }

export function withPresentSettings(
  present: readonly Entry[],
  changes: Record<string, string>,
): Record<string, string> {
  const own = present.filter(({ configSource }) => Number(configSource) === setOnTopic)
  const settings = Object.fromEntries(own.map(({ configName, configValue }) => [configName, configValue]))
  return { ...settings, ...changes }
}
