/** `config` uses the broker's names, such as `cleanup.policy`. Other settings are left unchanged. */
export type TopicSpec = { name: string; partitions: number; config: Record<string, string> }
