/*
 * Defect of kafkajs 2.2.4: its only request for changing settings, AlterConfigs, resets each setting of a
 * topic that the request does not name.
 * Effect: settings that an operator has made are lost.
 * Delete this file when kafkajs has IncrementalAlterConfigs, and send only the changes.
 */

/** The `configSource`, in `describeConfigs`, of a setting that was made on the topic itself. */
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
