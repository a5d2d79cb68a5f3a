import { writeFile } from "node:fs/promises"
import { monitoringFolder, prometheusRule } from "./rules.ts"

await writeFile(new URL("prometheusrule.yaml", monitoringFolder), await prometheusRule())
