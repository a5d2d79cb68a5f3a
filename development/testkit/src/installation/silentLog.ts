import type { Log } from "@sitewire/kafka"

const ignore = () => {}
export const silentLog: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore }
