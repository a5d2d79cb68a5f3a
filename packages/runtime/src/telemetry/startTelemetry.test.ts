import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { expect, test } from "vitest"

const reportLoaded = `
import { registerHooks } from "node:module"
const loaded = new Set()
registerHooks({
  load(url, context, next) {
    const [, name] = /node_modules\\/(@opentelemetry\\/[^/]+)/.exec(url) ?? []
    // The Prometheus client imports the interfaces.
    if (name && name !== "@opentelemetry/api") loaded.add(name)
    return next(url, context)
  },
})
const { readConfig, telemetryVariables } = await import("@sitewire/runtime")
const { startTelemetry } = await import(process.argv[1])
async function loadedWith(env) {
  await startTelemetry({ service: "test", config: readConfig(telemetryVariables, env), log: console })
  return [...loaded]
}
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:1" }
const disabled = await loadedWith({ ...endpoint, OTEL_SDK_DISABLED: "true" })
console.log(JSON.stringify([await loadedWith({}), disabled, await loadedWith(endpoint)]))
process.exit()`

test("OpenTelemetry is not loaded unless traces are sent", async () => {
  const module = new URL("./startTelemetry.ts", import.meta.url).href
  const args = ["--input-type=module", "--eval", reportLoaded, module]
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname })
  const [without, disabled, withEndpoint] = JSON.parse(stdout)
  expect([without, disabled]).toEqual([[], []])
  expect(withEndpoint).toContain("@opentelemetry/sdk-trace")
})
