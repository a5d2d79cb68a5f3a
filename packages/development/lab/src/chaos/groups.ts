import { groupNames } from "@sitewire/contracts"

/** The consumer groups when TOPIC_PREFIX is empty. */
export const groups = groupNames("")
