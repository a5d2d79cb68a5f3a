import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { expect, test } from "vitest"

const root = fileURLToPath(new URL("../../../..", import.meta.url))
const services = ["trigger-gateway", "sync-scheduler", "webhook-dispatcher"]

// Printed as a service ends: what it has loaded of Node's own and of packages that brings a `fetch` along.
const tellFetches = `
import { Module } from "node:module"
process.on("exit", () => {
  const files = [...process.moduleLoadList, ...Object.keys(Module._cache)]
  console.log("loaded", files.length, files.filter((file) => /deps.undici|undici.lib.web.fetch/.test(file)).join())
})`

test.each(services)("%s loads no fetch, which it does not call", async (service) => {
  const hook = `data:text/javascript,${encodeURIComponent(tellFetches)}`
  const main = `services/${service}/src/main.ts`
  const { stdout } = await promisify(execFile)(process.execPath, ["--import", hook, main, "--help"], {
    cwd: root,
  })
  expect(stdout).toMatch(/^loaded [1-9]\d{2} $/m)
})
