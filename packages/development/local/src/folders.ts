import { join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../../../..", import.meta.url))

export const stateFolder = join(root, ".sitewire")
export const localFile = join(stateFolder, "local.json")
export const secretsFile = join(stateFolder, "secrets.json")
export const logsFolder = join(stateFolder, "logs")
export const jarsFolder = join(stateFolder, "jars")
export const prometheusFolder = join(stateFolder, "prometheus")
export const dataFolder = join(stateFolder, "data")
