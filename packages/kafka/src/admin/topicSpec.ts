/**
 * `config` uses the broker's names, such as `cleanup.policy`. Settings that it does not name stay unchanged.
 */
export type TopicSpec = { name: string; partitions: number; config: Record<string, string> }
